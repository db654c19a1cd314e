//! The writer of Parquet where it is not built in.

pub(super) type ParquetSink = super::sink_left_out::LeftOutSink<true>;
