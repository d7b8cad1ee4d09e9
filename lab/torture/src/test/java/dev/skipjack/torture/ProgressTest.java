package dev.skipjack.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProgressTest {

  @Test
  void newJobsAndRecordedEventsOfProducersCountOnce(@TempDir Path folder) throws Exception {
    Progress progress = new Progress(folder, 4);
    assertThat(progress.share()).isZero();
    try (HistoryFile one = HistoryFile.open(folder, "producer-1");
        HistoryFile two = HistoryFile.open(folder, "producer-2");
        HistoryFile worker = HistoryFile.open(folder, "worker-1")) {
      one.write(EventType.REQUESTED, "a", 0, 0, "é");
      one.write(EventType.ACKNOWLEDGED, "a", 7, 0, Producer.CREATED);
      one.write(EventType.ACKNOWLEDGED, "b", 7, 0, Producer.EXISTING);
      two.write(EventType.EVENT_RECORDED, "e", 0, 0, "1/1");
      worker.write(EventType.ACKNOWLEDGED, "c", 8, 0, Producer.CREATED);
      assertThat(progress.share()).isEqualTo(0.5);
      assertThat(progress.share()).isEqualTo(0.5);

      Path history = folder.resolve("producer-1.history");
      Files.writeString(history, "1\tproducer-1\tACKNOW", StandardOpenOption.APPEND);
      assertThat(progress.share()).isEqualTo(0.5);
      Files.writeString(history, "LEDGED\td\t9\t0\tcreated\n", StandardOpenOption.APPEND);
      assertThat(progress.share()).isEqualTo(0.75);
    }
  }

  @Test
  void withoutRequestsEverythingIsDone(@TempDir Path folder) {
    assertThat(new Progress(folder, 0).share()).isEqualTo(1);
  }
}
