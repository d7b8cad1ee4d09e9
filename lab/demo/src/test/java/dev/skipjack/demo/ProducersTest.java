package dev.skipjack.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.dedup.UniqueJobs;
import dev.skipjack.store.jooq.JobQueue;
import java.util.OptionalLong;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ProducersTest {

  @Test
  void anErrorOfASenderIsTheFailureOfTheRun() throws Exception {
    OutOfMemoryError error = new OutOfMemoryError("made up");
    Lookahead input =
        new Lookahead(
            () -> {
              throw error;
            },
            0);
    // Never connected, so there is nothing to close.
    HikariDataSource nowhere = new HikariDataSource();
    DeliverySender sender =
        new DeliverySender(nowhere, UniqueJobs.on(JobQueue.on(nowhere)), UUID.randomUUID(), 0);
    Producers producers =
        new Producers(input, sender, new Backlog(nowhere), new Progress(OptionalLong.empty()));
    producers.start();
    await().until(producers::isDone);
    producers.stop();
    assertThatThrownBy(producers::rethrowFailure)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("made up")
        .hasCause(error);
    assertThat(producers.badInput()).isEmpty();
  }
}
