package dev.skipjack.demo;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A source that reads its first deliveries before they are requested. Safe for any number of
 * threads: each delivery is returned to only one thread. If the input is bad, only one call throws
 * the exception, and later calls return empty.
 */
final class Lookahead implements DeliverySource {

  private final DeliverySource source;
  private final Deque<Arrival> head = new ArrayDeque<>();
  private final Set<UUID> ids = new LinkedHashSet<>();
  private @Nullable BadInputException failure;
  private boolean ended;

  /**
   * Reads ahead until it has {@code count} distinct deliveries or the input ends. If a line is bad,
   * {@link #next} throws the exception after it has returned the preceding deliveries.
   */
  Lookahead(DeliverySource source, int count) {
    this.source = source;
    try {
      while (ids.size() < count && !ended) {
        source.next().ifPresentOrElse(this::keep, () -> ended = true);
      }
    } catch (BadInputException e) {
      failure = e;
      ended = true;
    }
  }

  private void keep(Arrival arrival) {
    head.add(arrival);
    ids.add(arrival.delivery().id());
  }

  /** Returns the distinct ids of the deliveries that were read ahead, in order. */
  Set<UUID> ids() {
    return Collections.unmodifiableSet(ids);
  }

  /** Returns whether nothing is left to hand out, including bad input. */
  synchronized boolean isEmpty() {
    return ended && head.isEmpty() && failure == null;
  }

  @Override
  public synchronized Optional<Arrival> next() {
    if (!head.isEmpty()) {
      return Optional.of(head.remove());
    }
    if (failure != null) {
      BadInputException once = failure;
      failure = null;
      throw once;
    }
    if (ended) {
      return Optional.empty();
    }
    try {
      Optional<Arrival> next = source.next();
      ended = next.isEmpty();
      return next;
    } catch (BadInputException e) {
      ended = true;
      throw e;
    }
  }

  /** Hands out no further deliveries. */
  synchronized void end() {
    head.clear();
    failure = null;
    ended = true;
  }

  @Override
  public synchronized void close() {
    end();
    source.close();
  }
}
