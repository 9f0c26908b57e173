// The room records: data sets of files' records, lines and rows, and writers.
#pragma once

#include "systolic/records/csv_dataset.h"
#include "systolic/records/decode_raw.h"
#include "systolic/records/example_builder.h"
#include "systolic/records/example_text.h"
#include "systolic/records/features.h"
#include "systolic/records/file_names.h"
#include "systolic/records/fixed_length_record_dataset.h"
#include "systolic/records/parse_example.h"
#include "systolic/records/record_files.h"
#include "systolic/records/record_reader.h"
#include "systolic/records/record_writer.h"
#include "systolic/records/table_dataset.h"
#include "systolic/records/text_line_dataset.h"
#include "systolic/records/tf_record_dataset.h"
