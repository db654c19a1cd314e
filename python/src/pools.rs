//! Threads for columns: one pool for each number of threads asked for, made at its first use.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

use rayon::{ThreadPool, ThreadPoolBuilder};
use urimill::locks::lock;
use urimill::{Error, ErrorKind};

/// A forked process has none of its parent's threads, so each pool belongs to one process.
type Pools = Mutex<HashMap<(u32, usize), Arc<ThreadPool>>>;

static POOLS: LazyLock<Pools> = LazyLock::new(Pools::default);

/// The number of processors: the system takes longer to tell it than a small call takes.
static PROCESSORS: LazyLock<usize> =
    LazyLock::new(|| std::thread::available_parallelism().map_or(1, |n| n.get()));

/// The number of threads in `RAYON_NUM_THREADS`, or else the number of processors at the first call.
pub(crate) fn default_threads() -> usize {
    let asked = std::env::var("RAYON_NUM_THREADS").ok().and_then(|text| text.parse().ok());
    asked.filter(|&number| number > 0).unwrap_or_else(|| *PROCESSORS)
}

/// A pool of `threads` threads, or fewer if the system refuses some.
pub(crate) fn of(threads: usize) -> Result<Arc<ThreadPool>, Error> {
    let mut pools = lock(&POOLS);
    let place = (std::process::id(), threads);
    if let Some(pool) = pools.get(&place) {
        return Ok(pool.clone());
    }
    let build = |threads: usize| {
        let builder = ThreadPoolBuilder::new().num_threads(threads);
        builder.thread_name(|number| format!("urimill-{number}")).build()
    };
    // If the system refuses threads, fewer do the work.
    let (mut pool, mut fewer) = (build(threads), threads);
    while pool.is_err() && fewer > 1 {
        fewer /= 2;
        pool = build(fewer);
    }
    let pool =
        pool.map_err(|error| Error::new(ErrorKind::Io, format!("cannot start {threads} threads: {error}")))?;
    let pool = Arc::new(pool);
    pools.insert(place, pool.clone());
    Ok(pool)
}
