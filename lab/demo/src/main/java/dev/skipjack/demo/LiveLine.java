package dev.skipjack.demo;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Shows the progress until it is closed: as one line that is rewritten, or as a new line every two
 * seconds.
 */
final class LiveLine implements AutoCloseable {

  /** The way in which the progress is shown, and the interval. */
  enum Style {
    /** For a terminal: each line overwrites the previous one. */
    TERMINAL(Duration.ofMillis(200)),
    /** For a log or a file. */
    PLAIN(Duration.ofSeconds(2)),
    /** No output. */
    NONE(Duration.ofDays(1));

    private final Duration interval;

    Style(Duration interval) {
      this.interval = interval;
    }
  }

  private static final int BAR = 24;

  private final Progress progress;
  private final PrintWriter err;
  private final Style style;
  private final long begin = System.nanoTime();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread thread = new Thread(this::show, "demo-progress");

  private LiveLine(Progress progress, PrintWriter err, Style style) {
    this.progress = progress;
    this.err = err;
    this.style = style;
  }

  static LiveLine start(Progress progress, PrintWriter err, Style style) {
    LiveLine line = new LiveLine(progress, err, style);
    if (style != Style.NONE) {
      line.thread.setDaemon(true);
      line.thread.start();
    }
    return line;
  }

  private void show() {
    try {
      while (!closed.await(style.interval.toMillis(), TimeUnit.MILLISECONDS)) {
        print();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void print() {
    String line = render(progress, Duration.ofNanos(System.nanoTime() - begin));
    if (style == Style.TERMINAL) {
      // Returns to the first column and clears the rest of a longer line.
      err.print("\r" + line + "\u001b[K");
    } else {
      err.println(line);
    }
    err.flush();
  }

  static String render(Progress progress, Duration elapsed) {
    long ended = progress.ended();
    long expected = Math.max(progress.expected(), ended);
    int filled = expected == 0 ? 0 : (int) (BAR * ended / expected);
    return String.format(
        Locale.ROOT,
        "[%s%s] %,d/%,d  %,.0f jobs/s  retries %,d  dead %,d",
        "#".repeat(filled),
        ".".repeat(BAR - filled),
        ended,
        expected,
        ended / Math.max(elapsed.toNanos() / 1e9, 1e-3),
        progress.retriesSoFar(),
        progress.deadSoFar());
  }

  /** Shows the final state. */
  @Override
  public void close() {
    closed.countDown();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (style == Style.TERMINAL) {
      print();
      err.println();
      err.flush();
    }
  }
}
