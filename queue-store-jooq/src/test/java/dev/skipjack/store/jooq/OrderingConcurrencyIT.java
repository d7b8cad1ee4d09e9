package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.JobError;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.OrderingPolicy;
import dev.skipjack.api.operations.DeadJobs;
import dev.skipjack.api.operations.JobEdit;
import dev.skipjack.api.operations.QueueAdmin;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Failure;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.OrderedJobs;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Producers, workers and operators change jobs of the same ordering keys concurrently, each in a
 * different order of the keys. Some of the jobs also compete for unique keys.
 */
@QueueTest
class OrderingConcurrencyIT {

  private static final int THREADS = 6;
  private static final int ROUNDS = 120;
  private static final int KEYS = 6;

  /** More rounds than a key has jobs, so that only the jobs of a stuck key remain. */
  private static final int ROUNDS_OF_DRAIN = THREADS * ROUNDS;

  private Fixture fixture;
  private OrderedJobs ordered;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
    ordered = fixture.queue.orderedJobs().orElseThrow();
  }

  @Test
  void concurrentCommandsOnSeveralKeysNeverFailAndLeaveNoKeyStuck() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      List<Future<?>> all = new ArrayList<>();
      for (int seed = 0; seed < THREADS; seed++) {
        Random random = new Random(seed);
        all.add(threads.submit(() -> meddle(random)));
      }
      for (Future<?> one : all) {
        one.get();
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(
            fixture.value(
                "SELECT string_agg(id || ' ' || status, ', ') FROM @jobs WHERE CASE status WHEN"
                    + " 'waiting' THEN ordering_head WHEN 'dead' THEN false ELSE ordering_head IS"
                    + " NULL END"))
        .as("jobs that run although they are not the head of their key, or wait as its head")
        .isNull();
    drain();
    assertThat(fixture.value("SELECT string_agg(id || ' ' || status, ', ') FROM @jobs"))
        .as("jobs of keys that are stuck")
        .isNull();
  }

  private void meddle(Random random) {
    List<Execution> mine = new ArrayList<>();
    for (int round = 0; round < ROUNDS; round++) {
      QueueAdmin admin = fixture.queue.admin();
      switch (random.nextInt(11)) {
        case 0 -> admin.redrive(jobs("dead"));
        case 1 -> admin.cancel(jobs("waiting"));
        case 2 -> admin.cancel(jobs("pending"));
        case 3 -> jobs("waiting").forEach(job -> admin.edit(job, JobEdit.nothing().priority(0)));
        case 4 -> admin.skipHead(key(random));
        case 5 -> admin.prune(jobs("dead"));
        case 6 -> ordered.sweep();
        case 7 -> ordered.promote(keys(random));
        case 8 -> fixture.store.rescue(Duration.ZERO, 50);
        default -> enqueue(random);
      }
      mine.addAll(claim(random.nextInt(4) == 0 ? Fixture.EXPIRED : Fixture.LEASE));
      end(mine, random);
    }
  }

  /** Returns a few jobs in random order. */
  private List<JobId> jobs(String status) {
    String ids =
        fixture.value(
            "SELECT string_agg(id::text, ',') FROM (SELECT id FROM @jobs WHERE status = '"
                + status
                + "' ORDER BY random() LIMIT 4) AS few");
    return ids == null
        ? List.of()
        : List.of(ids.split(",")).stream().map(id -> new JobId(Long.parseLong(id))).toList();
  }

  private void enqueue(Random random) {
    OrderingPolicy[] policies = OrderingPolicy.values();
    List<String> keys = keys(random);
    JobType<Fixture.Work> type =
        Fixture.WORK
            .orderingPolicy(policies[random.nextInt(policies.length)])
            .orderedBy(work -> keys.get(work.number()));
    fixture.queue.enqueueAll(
        random.nextInt(4) == 0 ? type.strictOrdering() : type,
        IntStream.range(0, KEYS).mapToObj(Fixture.Work::new).toList());
    fixture.value(
        "SELECT @enqueue('work', '{\"number\": 1}', ordering_key => '%s', unique_key => '%d')"
            .formatted(key(random), random.nextInt(5)));
  }

  private List<Execution> claim(Duration lease) {
    return fixture.store.claim(Fixture.request(3, lease, new Lane("default", 0))).stream()
        .map(ClaimedJob::execution)
        .toList();
  }

  private void end(List<Execution> mine, Random random) {
    Collections.shuffle(mine, random);
    switch (random.nextInt(3)) {
      case 0 -> {
        fixture.store.complete(List.copyOf(mine));
        mine.clear();
      }
      case 1 -> {
        fixture.store.fail(
            mine.stream()
                .map(
                    execution ->
                        new Failure(
                            execution, JobError.of("no luck"), Duration.ZERO, random.nextBoolean()))
                .toList());
        mine.clear();
      }
      default -> {} // the jobs keep running
    }
  }

  /** Runs all jobs to their end. */
  private void drain() {
    fixture.execute(
        "UPDATE @jobs SET lease_expires_at = now() - interval '1 s' WHERE status = 'running'");
    for (int round = 0; round < ROUNDS_OF_DRAIN && !isEmpty(); round++) {
      fixture.store.rescue(Duration.ZERO, 100);
      fixture.queue.admin().redriveAll(DeadJobs.all());
      ordered.sweep();
      fixture.store.complete(fixture.claim(100).stream().map(ClaimedJob::execution).toList());
    }
  }

  private boolean isEmpty() {
    return fixture.value("SELECT count(*) FROM @jobs").equals("0");
  }

  private static String key(Random random) {
    return "key-" + random.nextInt(KEYS);
  }

  private static List<String> keys(Random random) {
    List<String> keys =
        new ArrayList<>(IntStream.range(0, KEYS).mapToObj(number -> "key-" + number).toList());
    Collections.shuffle(keys, random);
    return keys;
  }
}
