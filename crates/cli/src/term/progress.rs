//! The progress bar: bytes, rate, records and time left, on a terminal only.

use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use clap::ValueEnum;
use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle, TermLike};

use urimill::run::RunProgress;
use urimill::threads;

/// When to show the bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    /// On a terminal
    Auto,
    /// Nowhere
    Never,
    /// Everywhere
    Always,
}

impl When {
    /// For a command whose results may go to the same terminal: a bar would appear between them.
    pub(crate) fn beside_results(self) -> When {
        match self {
            When::Auto if io::stdout().is_terminal() => When::Never,
            when => when,
        }
    }
}

/// A bar that reads the counters ten times a second until it is dropped.
pub(crate) struct Bar {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Bar {
    /// Starts a bar, if one is to be shown.
    pub(crate) fn start(when: When, progress: &RunProgress) -> Option<Bar> {
        let total = progress.total_bytes();
        let shown = match when {
            When::Auto => io::stderr().is_terminal(),
            When::Never => false,
            When::Always => true,
        };
        if !shown {
            return None;
        }
        let template = match total {
            Some(_) => "{bar:32} {bytes} of {total_bytes}, {bytes_per_sec}, {msg}, {eta} left",
            None => "{spinner} {bytes}, {bytes_per_sec}, {msg}, {elapsed}",
        };
        let bar = total.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
        if !io::stderr().is_terminal() {
            // By default the library draws on terminals only.
            bar.set_draw_target(ProgressDrawTarget::term_like(Box::new(NoTerminal)));
        }
        bar.set_style(
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()),
        );
        let (stop, stopped) = channel();
        let progress = progress.clone();
        let watching = move || {
            let draw = || {
                let mut message = format!("{} records", HumanCount(progress.records()));
                if let sorted @ 1.. = progress.sorted_rows() {
                    message.push_str(&format!(", {} sorted", HumanCount(sorted)));
                }
                if let files @ 1.. = progress.files() {
                    message.push_str(&format!(", {} files", HumanCount(files)));
                }
                bar.set_message(message);
                bar.set_position(progress.stored_bytes());
                bar.tick();
            };
            draw();
            while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(Duration::from_millis(100)) {
                draw();
            }
            bar.finish_and_clear();
        };
        // If no thread can be started, the run goes on without a bar.
        let thread = threads::spawn("urimill-progress", watching).ok()?;
        Some(Bar { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A panic of the bar does not fail the run.
            let _ = thread.join();
        }
    }
}

/// Standard error that is not a terminal, with `--progress always`: a file, or a pipe whose reader shows the bar. It
/// gets the codes that every terminal knows (ECMA-48, 8.3).
#[derive(Debug)]
struct NoTerminal;

impl NoTerminal {
    fn move_cursor(&self, n: usize, direction: char) -> io::Result<()> {
        // Terminals treat 0 as 1.
        if n == 0 { Ok(()) } else { self.write_str(&format!("\x1b[{n}{direction}")) }
    }
}

impl TermLike for NoTerminal {
    fn width(&self) -> u16 {
        100
    }

    fn move_cursor_up(&self, n: usize) -> io::Result<()> {
        self.move_cursor(n, 'A')
    }

    fn move_cursor_down(&self, n: usize) -> io::Result<()> {
        self.move_cursor(n, 'B')
    }

    fn move_cursor_right(&self, n: usize) -> io::Result<()> {
        self.move_cursor(n, 'C')
    }

    fn move_cursor_left(&self, n: usize) -> io::Result<()> {
        self.move_cursor(n, 'D')
    }

    fn write_line(&self, line: &str) -> io::Result<()> {
        self.write_str(&format!("{line}\n"))
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        io::stderr().write_all(text.as_bytes())
    }

    fn clear_line(&self) -> io::Result<()> {
        self.write_str("\r\x1b[2K")
    }

    fn flush(&self) -> io::Result<()> {
        io::stderr().flush()
    }
}
