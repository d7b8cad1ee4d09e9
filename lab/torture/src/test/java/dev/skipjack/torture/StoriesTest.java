package dev.skipjack.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the histories of jobs with violations in a report. */
class StoriesTest {

  private static final int VIOLATIONS = 6;

  private final MadeUpRun run = new MadeUpRun();

  /** Adds six jobs that are still pending and one that completed, with events in random order. */
  @BeforeEach
  void addJobs() {
    for (long job = 1; job <= VIOLATIONS; job++) {
      addJob(job, "pending");
    }
    addJob(VIOLATIONS + 1, "completed");
    run.event(10.5, EventType.ACCEPTED, Event.NONE, VIOLATIONS + 1, 70, "succeeded");
    Collections.shuffle(run.history, new Random(1));
  }

  private void addJob(long job, String status) {
    boolean completed = status.equals("completed");
    run.acknowledged(key(job), job);
    run.event(3.1, EventType.STARTED, key(job), job, job * 10, "");
    run.event(3.9, EventType.ENDED, key(job), job, job * 10, "Retry");
    run.event(4.1 + job / 10.0, EventType.LOST, Event.NONE, job, job * 10, "");
    run.job(job, status, key(job), "", 1, completed ? job * 10 : 0);
    run.attempt(job * 10, job, 1, completed ? "succeeded" : "failed", 3, 4);
  }

  private static String key(long job) {
    return "k" + job;
  }

  @Test
  void theWholeHistoriesOfTheFirstFiveJobsAreInOrderOfTime() {
    TortureReport report = run.report();

    assertThat(report.count(Counter.STUCK)).isEqualTo(VIOLATIONS);
    assertThat(report.stories())
        .containsExactlyElementsOf(
            LongStream.rangeClosed(1, 5).boxed().flatMap(job -> story(job).stream()).toList());
  }

  /**
   * Returns the expected lines. The row is placed at its creation, and the attempt at its start.
   */
  private List<String> story(long job) {
    List<String> events =
        run.history.stream()
            .filter(event -> event.job() == job || event.key().equals(key(job)))
            .sorted(Comparator.comparingLong(Event::micros))
            .map(Event::line)
            .toList();
    List<String> lines = new ArrayList<>(events);
    lines.add(1, "final " + run.jobs.get((int) job - 1));
    lines.add(3, "audit " + run.executions.get((int) job - 1));
    List<String> story = new ArrayList<>();
    story.add("Job %d (%s):".formatted(job, key(job)));
    story.add("  stuck: The job is still pending after the drain.");
    lines.forEach(line -> story.add("    " + line));
    assertThat(events).hasSize(5);
    return story;
  }

  @Test
  void theTextReportContainsTheHistories() {
    StringWriter text = new StringWriter();

    TortureReport report = run.report();
    report.print(new PrintWriter(text));

    assertThat(text.toString().lines()).containsSubsequence(report.stories());
    assertThat(text.toString())
        .contains("Job 5 (k5):", "Violations found.")
        .doesNotContain("Job 6");
  }
}
