package dev.skipjack.outbox;

import dev.skipjack.api.Backoff;
import dev.skipjack.outbox.EventWrites.Block;
import dev.skipjack.outbox.EventWrites.Change;
import dev.skipjack.outbox.FetchStatement.Unreadable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The changes of a batch: events that were published, events that failed or must wait, and
 * aggregates that become blocked or may become free.
 */
record BatchResult(
    List<RecordedEvent> published,
    List<Change> changes,
    List<Block> blocks,
    List<Aggregate> maybeFree,
    int retried,
    int died,
    int outOfOrder) {

  /**
   * The rules for events that were not published.
   *
   * @param maxAttempts the number of failed attempts after which an event is dead
   * @param skipDead whether an aggregate continues after a dead event
   * @param texts prepares the reasons that are stored
   */
  record Rules(Backoff backoff, int maxAttempts, boolean skipDead, ErrorTexts texts) {}

  private enum Progress {
    /** An event was not tried, so the later ones are left as they are. */
    STOPPED,
    /** An event failed or was postponed, so the later ones are blocked. */
    BLOCKED,
    /** An event is dead, and the later ones may be published without it. */
    SKIPPED
  }

  /**
   * Evaluates the results of a batch.
   *
   * @param fetched the events that were fetched, including those that are not published because
   *     their aggregate is blocked
   * @param results the result of each event in {@link Fetched#publishable}
   */
  static BatchResult of(
      Fetched fetched, List<PublishResult> results, Rules rules, RandomGenerator random) {
    List<RecordedEvent> published = new ArrayList<>();
    List<Change> changes = new ArrayList<>();
    List<Block> blocks = new ArrayList<>();
    Map<Aggregate, Progress> progress = new HashMap<>();
    int retried = 0;
    int died = 0;
    int outOfOrder = 0;
    for (RecordedEvent event : fetched.blocked()) {
      changes.add(waiting(event));
    }
    List<RecordedEvent> events = new ArrayList<>(fetched.publishable());
    List<PublishResult> all = new ArrayList<>(results);
    for (Unreadable each : fetched.unreadable()) {
      events.add(each.event());
      all.add(PublishResult.dead(each.reason()));
    }
    for (int i = 0; i < events.size(); i++) {
      RecordedEvent event = events.get(i);
      PublishResult result = all.get(i);
      Aggregate aggregate = event.aggregate();
      Progress earlier = progress.get(aggregate);
      if (result.kind() == PublishResult.Kind.SENT) {
        published.add(event);
        outOfOrder += earlier == null || earlier == Progress.SKIPPED ? 0 : 1;
        continue;
      }
      if (earlier == Progress.BLOCKED) {
        changes.add(waiting(event));
        continue;
      }
      if (earlier == Progress.STOPPED || result.kind() == PublishResult.Kind.NOT_TRIED) {
        progress.putIfAbsent(aggregate, Progress.STOPPED);
        continue;
      }
      if (result.kind() == PublishResult.Kind.POSTPONED) {
        progress.put(aggregate, Progress.BLOCKED);
        changes.add(waiting(event));
        blocks.add(new Block(aggregate, delay(result, 1, rules.backoff(), random)));
        continue;
      }
      int failures =
          event.failures() == Integer.MAX_VALUE ? event.failures() : event.failures() + 1;
      String error = rules.texts().reason(result.reason());
      boolean isDead = result.kind() == PublishResult.Kind.DEAD || failures >= rules.maxAttempts();
      if (isDead) {
        died++;
        if (rules.skipDead()) {
          progress.put(aggregate, Progress.SKIPPED);
          changes.add(new Change(event, OutboxPredicates.SKIPPED_LITERAL, failures, error));
        } else {
          progress.put(aggregate, Progress.BLOCKED);
          changes.add(new Change(event, OutboxPredicates.DEAD_LITERAL, failures, error));
          blocks.add(new Block(aggregate, null));
        }
      } else {
        retried++;
        progress.put(aggregate, Progress.BLOCKED);
        changes.add(new Change(event, OutboxPredicates.BLOCKED_LITERAL, failures, error));
        blocks.add(new Block(aggregate, delay(result, failures, rules.backoff(), random)));
      }
    }
    Set<Aggregate> maybeFree = new LinkedHashSet<>(fetched.retried());
    maybeFree.removeIf(
        aggregate -> {
          Progress end = progress.get(aggregate);
          return end == Progress.BLOCKED || end == Progress.STOPPED;
        });
    return new BatchResult(
        published, changes, blocks, List.copyOf(maybeFree), retried, died, outOfOrder);
  }

  private static Change waiting(RecordedEvent event) {
    return new Change(event, OutboxPredicates.BLOCKED_LITERAL, event.failures(), null);
  }

  private static Duration delay(
      PublishResult result, int failures, Backoff backoff, RandomGenerator random) {
    @Nullable Duration asked = result.delay();
    return Backoff.clamp(asked == null ? wait(backoff, failures, random) : asked);
  }

  /**
   * Returns the wait of the backoff, or that of the standard backoff if the application's throws or
   * returns null. The batch must be recorded in any case.
   */
  private static Duration wait(Backoff backoff, int failures, RandomGenerator random) {
    try {
      return Objects.requireNonNull(backoff.after(failures, random));
    } catch (Throwable broken) {
      return Backoff.standard().after(failures, random);
    }
  }

  boolean isProgress() {
    return !published.isEmpty() || !changes.isEmpty() || !maybeFree.isEmpty();
  }

  /**
   * Returns the part of this result that concerns the given shards. The counts remain those of the
   * whole batch.
   */
  BatchResult within(Set<Integer> shards) {
    return new BatchResult(
        published.stream().filter(each -> shards.contains(each.aggregate().shard())).toList(),
        changes.stream().filter(each -> shards.contains(each.event().aggregate().shard())).toList(),
        blocks.stream().filter(each -> shards.contains(each.aggregate().shard())).toList(),
        maybeFree.stream().filter(each -> shards.contains(each.shard())).toList(),
        retried,
        died,
        outOfOrder);
  }
}
