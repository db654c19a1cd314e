//! ZipNum: lines in blocks, each a member of gzip, in shards, with a list of the first lines of all blocks (`.idx`) and
//! one of the shards (`.loc`).

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use urimill_base::error::Result;
use urimill_base::threads::Workers;
use urimill_write::{StagedDirectory, TextDirectory, UncommittedOutput};

/// How lines are laid out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout<'a> {
    pub(super) shards: u64,
    /// The lines of a block.
    pub(super) block: u64,
    /// All lines, or more.
    pub(super) lines: u64,
    pub(super) threads: &'a Workers,
}

/// The list of blocks, and that of shards.
const BLOCKS: &str = "cdx.idx";
const SHARDS: &str = "cdx.loc";

/// Writes the lines of `next`.
pub(super) fn write(
    folder: StagedDirectory,
    layout: Layout<'_>,
    mut next: impl FnMut() -> Result<Option<RecordBatch>>,
) -> Result<UncommittedOutput> {
    let mut directory = TextDirectory::new(folder);
    let blocks = layout.lines.div_ceil(layout.block).max(1);
    let blocks_of_shard = blocks.div_ceil(layout.shards.max(1));
    let (mut list, mut shards) = (directory.file(BLOCKS)?, directory.file(SHARDS)?);
    let (mut shard, mut lines, mut of_shard, mut number) = (None, 0, 0, 0u64);
    let mut first = String::new();
    let mut count = 0u64;
    while let Some(batch) = next()? {
        let texts = batch.column(0).as_string::<i32>();
        for row in 0..texts.len() {
            let line = texts.value(row);
            let (name, file) = match shard.take() {
                Some(open) => open,
                None => {
                    let name = format!("cdx-{count:05}");
                    let path = format!("{name}.gz");
                    shards.line([name.as_bytes(), path.as_bytes()])?;
                    count += 1;
                    (name, directory.file(&path)?)
                }
            };
            let mut file = file;
            if lines == 0 {
                // Key and time.
                first = line.splitn(3, ' ').take(2).collect::<Vec<_>>().join(" ");
            }
            file.wait(line.as_bytes());
            lines += 1;
            if lines == layout.block {
                end_block(&mut list, &mut file, (&first, &name), &mut number)?;
                (lines, of_shard) = (0, of_shard + 1);
            }
            if of_shard == blocks_of_shard {
                directory.add(file)?;
                of_shard = 0;
            } else {
                shard = Some((name, file));
            }
        }
    }
    if let Some((name, mut file)) = shard {
        if lines > 0 {
            end_block(&mut list, &mut file, (&first, &name), &mut number)?;
        }
        directory.add(file)?;
    }
    directory.add(list)?;
    directory.add(shards)?;
    directory.close(layout.threads)
}

/// Ends a block: its first line, its position and length, and its number go to the list.
fn end_block(
    list: &mut urimill_write::TextFile,
    file: &mut urimill_write::TextFile,
    (first, name): (&str, &str),
    number: &mut u64,
) -> Result<()> {
    let (offset, length) = file.end_member()?;
    *number += 1;
    let [offset, length, number] = [offset, length, *number].map(|n| n.to_string());
    list.line([first.as_bytes(), name.as_bytes(), offset.as_bytes(), length.as_bytes(), number.as_bytes()])
}
