package dev.skipjack.torture;

import java.nio.file.Path;
import java.util.SplittableRandom;

/**
 * The destination of all events: a file to which the relays of all processes append, so the order
 * of its lines is the order of arrival, whatever the clocks. It is slow, is busy for one attempt in
 * five and rejects poison events. Safe for any number of threads.
 */
final class Destination implements AutoCloseable {

  /** The name of the history that contains the arrivals. */
  static final String NAME = "destination";

  /** The destination is busy for one attempt in this number. */
  private static final int BUSY = 5;

  private static final int LONGEST_MILLIS = 20;

  /** The response to an event. */
  enum Response {
    ACCEPTED,
    BUSY,
    REJECTED
  }

  private final HistoryFile arrivals;
  private final String process;

  private Destination(HistoryFile arrivals, String process) {
    this.arrivals = arrivals;
    this.process = process;
  }

  /** Opens the destination for a process. */
  static Destination open(Path folder, String process, HistoryClock clock) {
    return new Destination(HistoryFile.open(folder, NAME, clock), process);
  }

  /**
   * Sends an event. It has arrived once its line is written, even if the process is killed before
   * this method returns.
   *
   * @param failures number of earlier attempts that have failed
   */
  Response send(String event, String text, int failures) throws InterruptedException {
    SplittableRandom random = new SplittableRandom(event.hashCode() * 31L + failures);
    Thread.sleep(random.nextInt(LONGEST_MILLIS));
    if (Change.isPoison(text)) {
      return Response.REJECTED;
    }
    if (random.nextInt(BUSY) == 0) {
      return Response.BUSY;
    }
    arrivals.write(process, EventType.PUBLISHED, event, 0, 0, text);
    return Response.ACCEPTED;
  }

  @Override
  public void close() {
    arrivals.close();
  }
}
