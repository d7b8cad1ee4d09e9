package dev.skipjack.torture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * The destination of all events: a file to which the relays of all processes append, so the order
 * of its lines is the order of arrival. It is slow, is busy for one attempt in five and rejects
 * poison events. An event counts as arrived after a consumer with an inbox has committed its
 * effect. Safe for any number of threads.
 */
final class Destination implements AutoCloseable {

  /** The name of the history that contains the arrivals. */
  static final String NAME = "destination";

  /** The destination is busy for one attempt in this number. */
  private static final int BUSY = 5;

  private static final int LONGEST_MILLIS = 20;

  enum Response {
    ACCEPTED,
    BUSY,
    REJECTED
  }

  private static final String HEALED = "destination-healed";

  private final Path folder;
  private final HistoryFile arrivals;
  private final String process;
  private final InboxConsumer consumer;
  private volatile boolean healed;

  private Destination(Path folder, HistoryFile arrivals, String process, InboxConsumer consumer) {
    this.folder = folder;
    this.arrivals = arrivals;
    this.process = process;
    this.consumer = consumer;
  }

  static Destination open(Path folder, String process, HistoryClock clock, InboxConsumer consumer) {
    return new Destination(folder, HistoryFile.open(folder, NAME, clock), process, consumer);
  }

  /** Lets the destinations of all processes respond promptly from now on. */
  static void heal(Path folder) throws IOException {
    Files.writeString(folder.resolve(HEALED), "");
  }

  /**
   * Receives an event and responds as the manner describes.
   *
   * @param failures number of earlier attempts that have failed
   * @return the response; empty if there is none
   */
  Optional<Response> receive(Manner manner, String event, String text, int failures)
      throws InterruptedException {
    boolean slow = !isHealed();
    boolean silent = slow && manner == Manner.SILENT;
    Response response =
        silent || manner == Manner.ODD ? Response.ACCEPTED : send(event, text, failures);
    if (slow) {
      Thread.sleep(manner.delayMillis());
    }
    return silent ? Optional.empty() : Optional.of(response);
  }

  private boolean isHealed() {
    if (!healed) {
      healed = Files.exists(folder.resolve(HEALED));
    }
    return healed;
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
    if (random.nextInt(BUSY) == 0 || !consumer.receive(event)) {
      return Response.BUSY;
    }
    arrivals.write(process, EventType.PUBLISHED, event, 0, 0, text);
    return Response.ACCEPTED;
  }

  /** Records that a relay received no response for an event. */
  void unanswered(String event) {
    arrivals.write(process, EventType.UNANSWERED, event, 0, 0, "");
  }

  @Override
  public void close() {
    arrivals.close();
  }
}
