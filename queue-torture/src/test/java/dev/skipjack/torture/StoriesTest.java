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

/** What a report tells of the jobs that something is wrong with. */
class StoriesTest {

  private static final int OFFENDERS = 6;

  private final MadeUpRun run = new MadeUpRun();

  /** Jobs that are pending still, and one that is well; the files were read in any order. */
  @BeforeEach
  void makeUp() {
    for (long job = 1; job <= OFFENDERS; job++) {
      begin(job, "pending");
    }
    begin(OFFENDERS + 1, "completed");
    run.event(10.5, EventType.ACCEPTED, Event.NONE, OFFENDERS + 1, 70, "succeeded");
    Collections.shuffle(run.history, new Random(1));
  }

  private void begin(long job, String status) {
    boolean well = status.equals("completed");
    run.asked(key(job), job);
    run.event(3.1, EventType.STARTED, key(job), job, job * 10, "");
    run.event(3.9, EventType.ENDED, key(job), job, job * 10, "Retry");
    run.event(4.1 + job / 10.0, EventType.LOST, Event.NONE, job, job * 10, "");
    run.job(job, status, key(job), "", 1, well ? job * 10 : 0);
    run.attempt(job * 10, job, 1, well ? "succeeded" : "failed", 3, 4);
  }

  private static String key(long job) {
    return "k" + job;
  }

  @Test
  void fiveOfSixOffendersAreToldWholeAndInTheOrderOfTime() {
    TortureReport report = run.report();

    assertThat(report.count(Counter.STUCK)).isEqualTo(OFFENDERS);
    assertThat(report.stories())
        .containsExactlyElementsOf(
            LongStream.rangeClosed(1, 5).boxed().flatMap(job -> story(job).stream()).toList());
  }

  /** The row stands where it was made, the attempt where it began. */
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
    story.add("  stuck: Still pending after the drain.");
    lines.forEach(line -> story.add("    " + line));
    assertThat(events).hasSize(5);
    return story;
  }

  @Test
  void theyAreWrittenForPeople() {
    StringWriter written = new StringWriter();

    TortureReport report = run.report();
    report.print(new PrintWriter(written));

    assertThat(written.toString().lines()).containsSubsequence(report.stories());
    assertThat(written.toString()).contains("Job 5 (k5):", "Violated.").doesNotContain("Job 6");
  }
}
