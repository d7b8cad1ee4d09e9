package dev.skipjack.operations.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.JobError;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.operations.JobPage;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.JobReader;
import dev.skipjack.api.operations.JobSummary;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Failure;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.store.jooq.Fixture;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Reads all pages of a list while jobs are enqueued, completed and made dead between the pages. A
 * job that existed during the whole time is listed exactly once, and no job is listed twice.
 */
@QueueTest
class ReadPagesTest {

  /** The maximum number of changes. With more, a list by id would grow as fast as it is read. */
  private static final int CHANGES = 40;

  private final long seed = new Random().nextLong();
  private final Random random = new Random(seed);

  private Fixture fixture;
  private JobReader reader;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
    reader = fixture.queue.reader();
    for (int i = 0; i < 24; i++) {
      Duration delay = i % 4 >= 2 ? Duration.ofMinutes(i) : Duration.ZERO;
      change(new Lane(i % 2 == 0 ? "a" : "b", i % 3), delay, i % 3 == 0);
    }
  }

  @Test
  void pagesByIdShowEachJobOnce() {
    visitsOnce(JobQuery.live(), job -> true);
  }

  @Test
  void filteredPagesShowEachJobOnce() {
    visitsOnce(JobQuery.live().queue("b"), job -> job.queue().equals("b"));
  }

  @Test
  void pagesOfDeadJobsShowEachJobOnce() {
    JobQuery dead = JobQuery.live().status(JobStatus.DEAD);
    visitsOnce(dead, job -> true);
  }

  @Test
  void pagesByDueTimeShowEachJobOnce() {
    visitsOnce(JobQuery.pending("a"), job -> true);
  }

  @Test
  void pagesOfTheArchiveShowEachJobOnce() {
    visitsOnce(JobQuery.archived(), job -> true);
  }

  private void visitsOnce(JobQuery query, Predicate<JobSummary> expected) {
    Set<Long> before = idsNow(query);
    List<Long> visited = new ArrayList<>();
    JobPage page = reader.list(query.limit(1 + random.nextInt(5)));
    for (int pages = 1; true; pages++) {
      assertThat(page.jobs()).as("seed %d", seed).allMatch(expected);
      page.jobs().forEach(job -> visited.add(job.id().value()));
      if (page.next().isEmpty()) {
        break;
      }
      if (pages <= CHANGES) {
        change();
      }
      page = reader.list(query.limit(1 + random.nextInt(5)).after(page.next().orElseThrow()));
    }
    Set<Long> throughout = new TreeSet<>(before);
    throughout.retainAll(idsNow(query));

    assertThat(visited).as("seed %d", seed).doesNotHaveDuplicates().containsAll(throughout);
    assertThat(throughout).as("seed %d", seed).isNotEmpty();
  }

  /** Reads all ids in one page. */
  private Set<Long> idsNow(JobQuery query) {
    JobPage all = reader.list(query.limit(JobQuery.LARGEST));
    assertThat(all.next()).as("seed %d", seed).isEmpty();
    Set<Long> ids = new TreeSet<>();
    all.jobs().forEach(job -> ids.add(job.id().value()));
    return ids;
  }

  private void change() {
    Lane lane = new Lane(random.nextBoolean() ? "a" : "b", random.nextInt(3));
    boolean later = random.nextBoolean();
    change(
        lane,
        later ? Duration.ofSeconds(60 + random.nextInt(600)) : Duration.ZERO,
        random.nextInt(3) == 0);
  }

  /** Enqueues three jobs, and ends up to two due jobs of the lane. */
  private void change(Lane lane, Duration delay, boolean die) {
    fixture.queue.enqueueAll(
        Fixture.WORK,
        List.of(new Fixture.Work(1), new Fixture.Work(2), new Fixture.Work(3)),
        job -> job.onQueue(lane.queue()).priority(lane.priority()).delay(delay));
    List<Execution> claimed =
        fixture.store.claim(Fixture.request(1 + random.nextInt(2), Fixture.LEASE, lane)).stream()
            .map(ClaimedJob::execution)
            .toList();
    if (die) {
      fixture.store.fail(
          claimed.stream()
              .map(job -> new Failure(job, JobError.of("no"), Duration.ZERO, true))
              .toList());
    } else {
      fixture.store.complete(claimed);
    }
  }
}
