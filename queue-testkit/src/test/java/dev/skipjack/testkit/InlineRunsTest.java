package dev.skipjack.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobRunner;
import dev.skipjack.api.JobType;
import dev.skipjack.api.spi.NewJob;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests both interceptors without a store. */
class InlineRunsTest {

  private static final List<NewJob> JOBS = List.of(EnqueuePromises.job("1"));
  private static final List<EnqueueResult> RESULTS =
      List.of(new EnqueueResult.Enqueued(new JobId(7)));

  private final List<String> story = new ArrayList<>();
  private final InlineRuns inline = new InlineRuns();

  private List<EnqueueResult> write(List<NewJob> jobs) {
    story.add("written");
    return RESULTS;
  }

  private record Runner(Runnable run) implements JobRunner {

    @Override
    public int runUntilIdle() {
      run.run();
      return 1;
    }

    @Override
    public boolean runNext() {
      throw new AssertionError("not asked for");
    }
  }

  @Test
  void jobsRunAfterTheWriteAndNotWithinARun() {
    inline.by(
        new Runner(
            () -> {
              story.add("run begins");
              if (story.size() < 10) {
                inline.enqueue(JOBS, this::write);
              }
              story.add("run ends");
            }));

    assertThat(inline.enqueue(JOBS, this::write)).isEqualTo(RESULTS);
    assertThat(story).containsExactly("written", "run begins", "written", "run ends");

    inline.run();
    assertThat(story).hasSize(7).endsWith("run begins", "written", "run ends");
  }

  @Test
  void nextJobsRunAfterARunThatThrew() {
    inline.by(
        new Runner(
            () -> {
              story.add("run");
              throw new IllegalStateException("no database");
            }));

    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> inline.enqueue(JOBS, this::write)).hasMessage("no database");
    }
    assertThat(story).containsExactly("written", "run", "written", "run");
  }

  @Test
  void nothingIsWrittenOutsideOfARun() {
    assertThatThrownBy(() -> inline.enqueue(JOBS, this::write))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("by(worker)");
    assertThat(story).isEmpty();
  }

  @Test
  void writesAreRecorded() {
    RecordingEnqueues recorded = new RecordingEnqueues();

    assertThat(recorded.enqueue(JOBS, this::write)).isEqualTo(RESULTS);
    assertThatThrownBy(
            () ->
                recorded.enqueue(
                    JOBS,
                    jobs -> {
                      throw new IllegalStateException("refused");
                    }))
        .hasMessage("refused");

    assertThat(recorded.all())
        .containsExactly(new RecordingEnqueues.Recorded(JOBS.get(0), RESULTS.get(0)));
    assertThat(recorded.of(StoreFixture.WORK)).hasSize(1);
    assertThat(recorded.of(JobType.of("other", String.class))).isEmpty();
    recorded.clear();
    assertThat(recorded.all()).isEmpty();
  }
}
