"""A job for a cluster, as `spark-submit` runs it: the links of a Parquet file, normalized into another.

Tasks say in a folder that they have begun, by the numbers of their partition and attempt, and take their time.
"""

import sys

from pyspark.sql import SparkSession

import urimill.spark


def main(links: str, output: str, marks: str) -> None:
    spark = SparkSession.builder.appName("urimill").getOrCreate()

    def slowly(batches):
        import os
        import pathlib
        import time

        from pyspark import TaskContext

        task = TaskContext.get()
        place = os.path.basename(os.getcwd())
        pathlib.Path(marks, f"{task.partitionId()}-{task.attemptNumber()}-{place}").touch()
        for batch in batches:
            time.sleep(0.5)
            yield batch

    frame = spark.read.parquet(links)
    table = urimill.spark.normalize(frame, columns="+surt,+fingerprint,+query_params")
    table.mapInArrow(slowly, table.schema).write.parquet(output)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
