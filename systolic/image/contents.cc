#include "systolic/image/contents.h"

#include "systolic/base/message.h"

namespace systolic::image {

Contents::Contents(const Kept& kept, const SourceLocation& where)
    : owner_(kept.array), where_(where) {
  if (owner_.dtype() != DType::string || !owner_.is_set()) {
    internal::Message("image::decode")
        .expected("the bytes of a picture: a string")
        .got(owner_.is_set() ? owner_.spec().to_string() : "an unset Array")
        .at(where)
        .raise<TypeError>();
  }
  if (owner_.size() != 1) {
    internal::Message("image::decode")
        .expected("the bytes of one picture")
        .got(owner_.spec())
        .hint("decode before batch(), one picture at a time")
        .at(where)
        .raise<ValueError>();
  }
  bytes_ = owner_.span<std::string>()[0];
}

}  // namespace systolic::image
