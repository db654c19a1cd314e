//! How the memory of a run is divided.

/// Sizes in bytes, derived from the one that the caller gives.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// The memory of all tables together, and of all rows.
    pub(super) memory: usize,
    /// The number of tables.
    pub(super) shards: usize,
    /// The memory of one table. A group with very many variants is in one: it must fit together with the memory for
    /// sorting it.
    pub(super) shard_memory: usize,
    /// The memory of a table that is worth a run on disk.
    pub(super) run: usize,
    /// The size of a block of texts in memory.
    pub(super) store_block: usize,
    /// The size of a block on disk.
    pub(super) spill_block: usize,
    /// The number of runs merged at once.
    pub(super) fan_in: usize,
    pub(super) threads: usize,
}

impl Limits {
    pub(super) fn new(memory: usize, threads: usize) -> Limits {
        // Enough tables that workers seldom collide, and not so many that their runs on disk are short.
        let shards = (memory >> 20).clamp(1, 64).next_power_of_two();
        let spill_block = (memory >> 10).clamp(1 << 10, 128 << 10);
        Limits {
            memory,
            shards,
            shard_memory: if shards >= 16 { memory / 8 } else { memory },
            run: memory / shards / 2,
            store_block: (memory / shards / 16).clamp(256, 128 << 10),
            spill_block,
            fan_in: (memory / 4 / threads / spill_block).clamp(4, 256),
            threads,
        }
    }
}
