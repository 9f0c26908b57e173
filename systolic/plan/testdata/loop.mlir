module @tiny attributes {mhlo.num_replicas = 8 : i32} {
func.func public @main(%x: tensor<6x32x96xf32>, %w: tensor<96x10xf32> {tf.aliasing_output = 0 : i32}, %n: tensor<i32>) -> tensor<96x10xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32> loc(#loop)
  %r:2 = "stablehlo.while"(%zero, %w) ({
  ^bb0(%i: tensor<i32>, %a: tensor<96x10xf32>):
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1> loc(#loop)
    "stablehlo.return"(%p) : (tensor<i1>) -> () loc(#loop)
  }, {
  ^bb0(%i: tensor<i32>, %a: tensor<96x10xf32>):
    %one = stablehlo.constant dense<1> : tensor<i32> loc(#loop)
    %j = stablehlo.add %i, %one : tensor<i32> loc(#loop)
    %s = stablehlo.dynamic_slice %x, %i, %zero, %zero, sizes = [1, 32, 96] : (tensor<6x32x96xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x32x96xf32> loc(#slice)
    %t = stablehlo.reshape %s : (tensor<1x32x96xf32>) -> tensor<32x96xf32> loc(#slice)
    %y = stablehlo.dot_general %t, %a, contracting_dims = [1] x [0] : (tensor<32x96xf32>, tensor<96x10xf32>) -> tensor<32x10xf32> loc(#dot)
    %g = stablehlo.dot_general %t, %y, contracting_dims = [0] x [0] : (tensor<32x96xf32>, tensor<32x10xf32>) -> tensor<96x10xf32> loc(#gradient)
    %all = "stablehlo.all_reduce"(%g) ({
    ^bb0(%u: tensor<f32>, %v: tensor<f32>):
      %q = stablehlo.add %u, %v : tensor<f32> loc(#reduce)
      stablehlo.return %q : tensor<f32> loc(#reduce)
    }) {replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>} : (tensor<96x10xf32>) -> tensor<96x10xf32> loc(#reduce)
    %b = stablehlo.subtract %a, %all : tensor<96x10xf32> loc(#sgd)
    "stablehlo.return"(%j, %b) : (tensor<i32>, tensor<96x10xf32>) -> () loc(#loop)
  }) : (tensor<i32>, tensor<96x10xf32>) -> (tensor<i32>, tensor<96x10xf32>) loc(#loop)
  return %r#1 : tensor<96x10xf32> loc(#loop)
} loc(#loop)
} loc(#loop)
#fit = loc("train.cc":31:3)
#model = loc("my model.cc":58:3)
#loop = loc("fit/while [trips=6]"(#fit))
#slice = loc("fit/dynamic_slice"(#fit))
#dot = loc("dense_1/matmul"(#model))
#gradient = loc("dense_1 (gradient)/matmul"(#model))
#reduce = loc("fit/all_reduce"(#fit))
#sgd = loc("sgd/subtract"(#fit))
