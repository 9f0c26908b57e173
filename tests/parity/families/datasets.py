"""Orders and shapes of real tf.data, where its meaning is subtle."""
import numpy as np
import tensorflow as tf

import golden_file

Dataset = tf.data.Dataset


def _rows(value):
    """The Arrays of an element, depth first."""
    if isinstance(value, tf.RaggedTensor):
        return [value.row_splits, value.flat_values]
    if isinstance(value, tf.SparseTensor):
        return [value.dense_shape, value.indices, value.values]
    if isinstance(value, dict):
        return sum((_rows(value[key]) for key in sorted(value)), [])
    if isinstance(value, (tuple, list)):
        return sum((_rows(item) for item in value), [])
    return [value]


def _lengths(*lengths):
    """Vectors 0 ... length - 1, of lengths that are not known beforehand."""
    return Dataset.from_tensor_slices(
        np.array(lengths, np.int64)).map(tf.range)


def _counts(x):
    return Dataset.range(x % 5).map(lambda i: x + 100 * i)


def _pairs(*lengths):
    return _lengths(*lengths).map(lambda x: (x, tf.size(x, out_type=tf.int64)))


def _window(n, *arguments):
    size = arguments[0]
    return Dataset.range(n).window(*arguments).flat_map(
        lambda window: window.batch(size))


def _cases():
    for cycle, block in [(1, 1), (2, 1), (3, 2), (4, 4), (16, 1), (5, 3)]:
        yield ("interleave", {"cycle_length": cycle, "block_length": block},
               Dataset.range(12).interleave(_counts, cycle_length=cycle,
                                            block_length=block))
    for n, size, shift, stride, drop in [
            (7, 3, None, 1, False), (7, 3, None, 1, True),
            (7, 3, 1, 1, False), (7, 3, 1, 1, True), (7, 3, 2, 2, False),
            (7, 3, 2, 2, True), (10, 2, 5, 1, False), (10, 2, 5, 3, False),
            (10, 3, 4, 3, False), (2, 3, 1, 1, False), (2, 3, 1, 1, True)]:
        yield ("window", {"n": n, "size": size, "shift": shift or size,
                          "stride": stride, "drop_remainder": drop},
               _window(n, size, shift, stride, drop))
    yield ("padded_batch", {"batch_size": 2}, _lengths(1, 3, 0, 2, 4)
           .padded_batch(2))
    yield ("padded_batch", {"batch_size": 2, "drop_remainder": True},
           _lengths(1, 3, 0, 2, 4).padded_batch(2, drop_remainder=True))
    yield ("padded_batch", {"batch_size": 3, "padded_shapes": [5],
                            "padding_values": -1},
           _lengths(1, 3, 0, 2, 4).padded_batch(
               3, padded_shapes=[5],
               padding_values=tf.constant(-1, tf.int64)))
    yield ("padded pairs", {"batch_size": 2},
           _pairs(2, 1, 3).padded_batch(2, padded_shapes=([None], [])))
    for size in [1, 2, 3, 5, 20]:
        for drop in [False, True]:
            yield ("rebatch", {"batch_sizes": [size], "drop_remainder": drop},
                   Dataset.range(11).batch(4).rebatch(size, drop))
    yield ("rebatch", {"batch_sizes": [2, 1, 4], "drop_remainder": False},
           Dataset.range(11).batch(4).rebatch([2, 1, 4]))
    for size in [2, 3]:
        yield ("group_by_window", {"window_size": size},
               Dataset.range(11).group_by_window(
                   lambda x: x % 3, lambda key, window: window.batch(2),
                   window_size=size))
    yield ("group_by_window_func", {},
           Dataset.range(20).group_by_window(
               lambda x: x % 3, lambda key, window: window.batch(10),
               window_size_func=lambda key: key + 1))
    lengths = (3, 1, 7, 2, 9, 4, 4, 8, 0, 5, 6, 1, 2)
    for options in [{}, {"drop_remainder": True},
                    {"pad_to_bucket_boundary": True}]:
        boundaries = [3, 6] if not options.get(
            "pad_to_bucket_boundary") else [3, 6, 11]
        sizes = [2, 3, 2] if len(boundaries) == 2 else [2, 3, 2, 1]
        yield ("bucket_by_sequence_length",
               {"boundaries": boundaries, "batch_sizes": sizes, **options},
               _lengths(*lengths).bucket_by_sequence_length(
                   lambda x: tf.size(x), boundaries, sizes, **options))
    yield ("ragged_batch", {"batch_size": 2}, _lengths(1, 3, 0, 2, 4)
           .ragged_batch(2))
    yield ("sparse_batch", {"batch_size": 2}, _lengths(1, 3, 0, 2, 4)
           .sparse_batch(2, [4]))
    parts = [Dataset.range(0, 2), Dataset.range(10, 16), Dataset.range(20, 23)]
    choices = Dataset.range(3).repeat(4)
    for stop in [True, False]:
        yield ("choose_from_datasets", {"stop_on_empty_dataset": stop},
               Dataset.choose_from_datasets(parts, choices, stop))
    yield ("unbatch", {}, Dataset.range(7).batch(3).unbatch())


def record(_family, _arguments):
    cases = []
    for name, options, dataset in _cases():
        case = golden_file.Case(name, options)
        count = 0
        for element in dataset:
            for i, array in enumerate(_rows(element)):
                case.add(f"{count}/{i}", array)
            count += 1
        case.expected["elements"] = count
        cases.append(case)
    return cases
