module @conv attributes {mhlo.num_replicas = 1 : i32} {
func.func public @main(%x: tensor<8x16x16x8xbf16>, %k: tensor<3x3x8x32xbf16>, %b: tensor<32xbf16>) -> tensor<8x16x16x32xbf16> {
  %y = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x16x16x8xbf16>, tensor<3x3x8x32xbf16>) -> tensor<8x16x16x32xbf16> loc(#conv)
  %c = stablehlo.broadcast_in_dim %b, dims = [3] : (tensor<32xbf16>) -> tensor<8x16x16x32xbf16> loc(#bias)
  %z = stablehlo.add %y, %c : tensor<8x16x16x32xbf16> loc(#bias)
  return %z : tensor<8x16x16x32xbf16> loc(#bias)
} loc(#bias)
} loc(#bias)
#model = loc("my model.cc":12:3)
#conv = loc("conv1_conv/convolution"(#model))
#bias = loc("conv1_conv/add"(#model))
