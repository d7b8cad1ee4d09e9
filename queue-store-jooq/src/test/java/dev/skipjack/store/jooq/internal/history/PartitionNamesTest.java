package dev.skipjack.store.jooq.internal.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PartitionNamesTest {

  @Test
  void nameContainsTheUtcDateOnWhichThePartitionStarts() {
    Instant sundayNight = Instant.parse("2031-01-05T23:59:59.999999Z");

    assertThat(PartitionedTable.AUDIT.containing(sundayNight).name())
        .isEqualTo("job_executions_20301230");
    assertThat(PartitionedTable.ARCHIVE.containing(sundayNight).name())
        .isEqualTo("jobs_archive_20310105");
    assertThat(PartitionedTable.AUDIT.containing(sundayNight.plusNanos(1_000)).name())
        .isEqualTo("job_executions_20310106");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jobs_archive",
        "jobs_archive_",
        "jobs_archive_2031010",
        "jobs_archive_203101051",
        "jobs_archive_20310105_backup",
        "jobs_archive_20310230",
        "jobs_archive_20311301",
        "jobs_archive_2031-1-5",
        "jobs_archive_+2031015",
        "JOBS_ARCHIVE_20310105",
        "old_jobs_archive_20310105",
        "job_executions_20301230",
        "jobs_archive20310105"
      })
  void noOtherNameIsAPartitionOfTheArchive(String name) {
    assertThat(PartitionedTable.ARCHIVE.named(name)).isEmpty();
  }

  @Test
  void aWeekStartsOnMonday() {
    assertThat(PartitionedTable.AUDIT.named("job_executions_20301230")).isPresent();
    assertThat(PartitionedTable.AUDIT.named("job_executions_20301231")).isEmpty();
  }
}
