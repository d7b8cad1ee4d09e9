package dev.skipjack.cli.demo;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A source whose first deliveries can be looked at before they are handed out. Safe for any number
 * of threads: each delivery goes to one of them, bad input is thrown to one of them, and whoever
 * asks after that gets nothing.
 */
final class Lookahead implements DeliverySource {

  private final DeliverySource source;
  private final Deque<Arrival> head = new ArrayDeque<>();
  private @Nullable BadInputException failure;
  private boolean ended;

  /**
   * Reads up to {@code count} deliveries ahead. Bad input among them is thrown when its turn comes.
   */
  Lookahead(DeliverySource source, int count) {
    this.source = source;
    try {
      while (head.size() < count && !ended) {
        source.next().ifPresentOrElse(head::add, () -> ended = true);
      }
    } catch (BadInputException e) {
      failure = e;
      ended = true;
    }
  }

  /** The distinct ids of what was read ahead, in order. */
  synchronized Set<UUID> ids() {
    Set<UUID> ids = new LinkedHashSet<>();
    head.forEach(arrival -> ids.add(arrival.delivery().id()));
    return ids;
  }

  /** Whether there is nothing to hand out, not even bad input. */
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

  /** Nothing more is handed out. */
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
