package dev.skipjack.outbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** An event as it is published. Immutable. */
public final class RecordedEvent {

  private final Draft draft;

  RecordedEvent(Draft draft) {
    this.draft = draft;
  }

  /** The values of an event. A draft is modified only until its event is created. */
  static final class Draft {

    private final UUID id;
    private final Aggregate aggregate;
    private final String type;
    long position;
    byte[] payload = new byte[0];
    String contentType = "";
    Map<String, String> headers = Map.of();
    @Nullable String traceparent;
    Instant recordedAt = Instant.EPOCH;
    int failures;

    Draft(UUID id, Aggregate aggregate, String type) {
      this.id = id;
      this.aggregate = aggregate;
      this.type = type;
    }
  }

  /** Returns the number that orders the events of an aggregate. It never changes. */
  long position() {
    return draft.position;
  }

  /**
   * {@return the id of the event, a UUID of version 7} Publish the id, because consumers recognize
   * duplicates by it.
   */
  public UUID id() {
    return draft.id;
  }

  /** {@return the aggregate that the event is about} */
  public Aggregate aggregate() {
    return draft.aggregate;
  }

  /** {@return the type of the event} */
  public String type() {
    return draft.type;
  }

  /** {@return a copy of the payload; JSON is encoded in UTF-8} */
  public byte[] payload() {
    return draft.payload.clone();
  }

  int payloadSize() {
    return draft.payload.length;
  }

  /** {@return the payload decoded as UTF-8, for JSON and other text} */
  public String text() {
    return new String(draft.payload, UTF_8);
  }

  /** {@return the media type of the payload} */
  public String contentType() {
    return draft.contentType;
  }

  /** {@return the headers by name} */
  public Map<String, String> headers() {
    return draft.headers;
  }

  /** {@return the W3C traceparent with which the event was recorded, or null} */
  public @Nullable String traceparent() {
    return draft.traceparent;
  }

  /** {@return when the event was recorded, by the database's clock} */
  public Instant recordedAt() {
    return draft.recordedAt;
  }

  /** {@return how many attempts to publish the event have failed} */
  public int failures() {
    return draft.failures;
  }

  @Override
  public String toString() {
    return "%s %s/%s %s".formatted(type(), aggregate().type(), aggregate().id(), id());
  }
}
