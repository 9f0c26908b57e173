module @constant attributes {mhlo.num_replicas = 1 : i32} {
func.func public @main(%w: tensor<96x96xf32>) -> tensor<96x96xf32> {
  %from = stablehlo.constant dense<3> : tensor<i32> loc(#loop)
  %to = stablehlo.constant dense<18> : tensor<i32> loc(#loop)
  %r:2 = "stablehlo.while"(%from, %w) ({
  ^bb0(%i: tensor<i32>, %a: tensor<96x96xf32>):
    %p = stablehlo.compare LT, %i, %to : (tensor<i32>, tensor<i32>) -> tensor<i1> loc(#loop)
    "stablehlo.return"(%p) : (tensor<i1>) -> () loc(#loop)
  }, {
  ^bb0(%i: tensor<i32>, %a: tensor<96x96xf32>):
    %two = stablehlo.constant dense<2> : tensor<i32> loc(#loop)
    %j = stablehlo.add %i, %two : tensor<i32> loc(#loop)
    %y = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<96x96xf32>, tensor<96x96xf32>) -> tensor<96x96xf32> loc(#dot)
    "stablehlo.return"(%j, %y) : (tensor<i32>, tensor<96x96xf32>) -> () loc(#loop)
  }) : (tensor<i32>, tensor<96x96xf32>) -> (tensor<i32>, tensor<96x96xf32>) loc(#loop)
  return %r#1 : tensor<96x96xf32> loc(#loop)
} loc(#loop)
} loc(#loop)
#model = loc("my model.cc":58:3)
#loop = loc("power/while"(#model))
#dot = loc("power/matmul"(#model))
