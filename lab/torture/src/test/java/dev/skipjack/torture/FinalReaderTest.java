package dev.skipjack.torture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.JobType;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.torture.FinalReader.Clock;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

@QueueTest
class FinalReaderTest {

  private final QueueDatabase database;

  FinalReaderTest(QueueDatabase database) {
    this.database = database;
  }

  @Test
  void aJobWithAForeignPayloadIsReportedAsUnexpected() throws SQLException {
    for (String table : TortureDatabase.TABLES) {
      new Sql(database.dataSource(), database.schema()).run(table);
    }
    JobQueue.builder(database.dataSource())
        .schema(database.schema())
        .build()
        .enqueue(JobType.of("foreign", String.class), "not an object");

    FinalRead read = FinalReader.read(database.dataSource(), database.schema());

    assertThat(read.jobs()).singleElement().extracting(FinalRead.JobRow::key).isEqualTo("");
    TortureReport report = TortureReport.of(Map.of(), List.of(), read, Pace.FORKED);
    assertThat(report.count(Counter.UNEXPECTED)).isPositive();
    assertThat(report.stories()).contains("  unexpected: The job was not requested.");
  }

  @Test
  void theClocksAreEqualUnlessTheReadingProvesADifference() {
    assertThat(FinalReader.clock(49, 98)).isEqualTo(new Clock(0, 0));
    assertThat(FinalReader.clock(-52, 100)).isEqualTo(new Clock(0, 0));
    assertThat(FinalReader.clock(20_000, 500)).isEqualTo(new Clock(20_000, 500));
    assertThat(FinalReader.clock(-20_000, 500)).isEqualTo(new Clock(-20_000, 500));
  }
}
