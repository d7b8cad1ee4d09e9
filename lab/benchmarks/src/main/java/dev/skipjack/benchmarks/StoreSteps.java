package dev.skipjack.benchmarks;

import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobError;
import dev.skipjack.api.JobType;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Failure;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.LaneShare;
import dev.skipjack.api.spi.Requeue;
import dev.skipjack.store.jooq.JobQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * Takes many jobs through their life cycle, with one step for each hot statement and batch size.
 */
final class StoreSteps {

  record Webhook(String delivery, String event, String repository, String body) {}

  private static final JobType<Webhook> TYPE = JobType.of("webhook", Webhook.class);

  /** A payload of about 170 bytes of JSON. */
  private static final Webhook PAYLOAD =
      new Webhook("8a2b6c1e-58a7-4a7e-9d41-6a9f4c5b7e20", "push", "skipjack/queue", "x".repeat(70));

  private static final Duration LEASE = Duration.ofMinutes(10);
  private static final Duration LATER = Duration.ofDays(1);
  private static final int MANY = 100;

  private final JobQueue queue;
  private final JobStore store;
  private final List<List<Execution>> held = new ArrayList<>();

  StoreSteps(JobQueue queue) {
    this.queue = queue;
    this.store = queue.store();
  }

  /**
   * A measured step.
   *
   * @param name the statement and the number of jobs per batch
   * @param statement runs the statement for the n-th time, from 0
   */
  record Step(String name, IntConsumer statement) {}

  /** Returns the number of jobs that the steps process if each step runs {@code times} times. */
  static long jobs(int times) {
    return times * (1L + MANY);
  }

  /** Returns the steps in the order in which they must run, on empty tables. */
  List<Step> steps() {
    return List.of(
        new Step("enqueue-1", i -> queue.enqueue(TYPE, PAYLOAD)),
        new Step("claim-1", i -> claim(i, 1)),
        new Step("heartbeat-1", i -> store.heartbeat(held.get(i), LEASE)),
        new Step("complete-1", i -> store.complete(held.get(i))),
        new Step("enqueue-100", i -> queue.enqueueAll(TYPE, Collections.nCopies(MANY, PAYLOAD))),
        new Step("due-lanes", i -> store.dueLanes(List.of("default"))),
        new Step("claim-100", i -> claim(i, MANY)),
        new Step("heartbeat-100", i -> store.heartbeat(held.get(i), LEASE)),
        new Step("fail-33", i -> store.fail(failures(held.get(i)))),
        new Step("requeue-33", i -> store.requeue(snoozes(held.get(i)))),
        new Step("complete-34", i -> store.complete(held.get(i).subList(66, MANY))));
  }

  private void claim(int turn, int size) {
    if (turn == 0) {
      held.clear();
    }
    ClaimRequest request =
        new ClaimRequest(
            WorkerId.boot("benchmark"),
            List.of(new LaneShare(new Lane("default", 0), size, null)),
            List.of(TYPE.kind()),
            size,
            LEASE);
    held.add(store.claim(request).stream().map(ClaimedJob::execution).toList());
  }

  private static List<Failure> failures(List<Execution> batch) {
    return batch.subList(0, 33).stream()
        .map(execution -> new Failure(execution, JobError.of("fails on purpose"), LATER, false))
        .toList();
  }

  private static List<Requeue> snoozes(List<Execution> batch) {
    return batch.subList(33, 66).stream()
        .map(execution -> new Requeue(execution, ExecutionStatus.SNOOZED, LATER))
        .toList();
  }
}
