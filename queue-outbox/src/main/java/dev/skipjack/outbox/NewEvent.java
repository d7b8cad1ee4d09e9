package dev.skipjack.outbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.skipjack.api.PayloadCodec;
import java.util.UUID;

/** An event with its id and its payload as bytes, ready to insert. */
final class NewEvent {

  private final UUID id;
  private final Event event;
  private final byte[] payload;

  private NewEvent(UUID id, Event event, byte[] payload) {
    this.id = id;
    this.event = event;
    this.payload = payload;
  }

  static NewEvent of(UUID id, Event event, PayloadCodec codec) {
    byte[] payload = encode(event, codec);
    if (payload.length > Event.LARGEST_PAYLOAD) {
      throw new IllegalArgumentException(
          "The payload of an event of type '%s' has %d bytes; at most %d are allowed. Store the document elsewhere and record its id."
              .formatted(event.type(), payload.length, Event.LARGEST_PAYLOAD));
    }
    return new NewEvent(id, event, payload);
  }

  private static byte[] encode(Event event, PayloadCodec codec) {
    Object payload = event.payload();
    if (payload == null) {
      return "{}".getBytes(UTF_8);
    }
    return payload instanceof byte[] bytes ? bytes : codec.encode(payload).getBytes(UTF_8);
  }

  UUID id() {
    return id;
  }

  Event event() {
    return event;
  }

  byte[] payload() {
    return payload;
  }

  int shard() {
    return event.aggregate().shard();
  }
}
