package dev.skipjack.torture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.torture.FaultLog.Fault;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that the log reads the faults that the journal writes, and that every fault ends. A fault
 * without an end would explain every lost attempt.
 */
class FaultJournalTest {

  private final Path folder;
  private final HistoryFile history;
  private final FaultJournal journal;

  FaultJournalTest(@TempDir Path folder) {
    this.folder = folder;
    this.history = HistoryFile.open(folder, "faults");
    this.journal = new FaultJournal(history);
  }

  @BeforeEach
  void beginFirstFault() {
    journal.begin(1, FaultKind.PROXY, Event.ALL, FaultInjector.BLACK_HOLE);
  }

  @AfterEach
  void close() {
    history.close();
  }

  private List<Fault> faults() {
    return new FaultLog(HistoryFile.readAll(folder), Pace.FORKED).all();
  }

  @Test
  void theServerIsReachableBeforeAnEasedFaultEnds() {
    assertThat(faults().get(0).reachable()).isGreaterThan(Long.MAX_VALUE / 4);

    journal.ease(1);
    journal.end(1);
    Fault fault = faults().get(0);
    assertThat(fault.makesServerUnreachable()).isTrue();
    assertThat(fault.how()).isEqualTo(FaultInjector.BLACK_HOLE);
    assertThat(fault.process()).isEqualTo(Event.ALL);
    assertThat(fault.reachable()).isBetween(fault.began(), fault.ended());
    assertThat(HistoryFile.readAll(folder))
        .extracting(Event::type)
        .containsExactly(EventType.FAULT_BEGAN, EventType.FAULT_EASED, EventType.FAULT_ENDED);
  }

  @Test
  void theEndOfAFaultIsWrittenOnce() {
    journal.end(1);
    journal.ease(1);
    journal.end(1);
    journal.end(2); // never began
    assertThat(HistoryFile.readAll(folder)).hasSize(2);
  }

  @Test
  void endAllEndsFaultsThatAFailureLeftOpen() {
    journal.begin(2, FaultKind.STOP, "worker-1", "");
    journal.endAll();
    journal.endAll();
    assertThat(faults())
        .hasSize(2)
        .allSatisfy(fault -> assertThat(fault.ended()).isLessThan(Long.MAX_VALUE / 4));
    assertThat(HistoryFile.readAll(folder)).hasSize(4);
  }

  @Test
  void anUnreadRequestToExhaustAPoolIsReplaced() throws Exception {
    ExhaustedPool.request(folder, "worker-1", 1);
    ExhaustedPool.request(folder, "worker-1", 2);
    assertThat(Files.readString(folder.resolve("worker-1.exhaust"))).isEqualTo("2");
  }
}
