package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.JobType;
import dev.skipjack.api.PayloadCodec;
import dev.skipjack.api.PayloadException;
import dev.skipjack.faults.FaultyDataSource;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Tests that a bulk enqueue encodes all payloads in the caller's thread before it borrows a
 * connection.
 */
@QueueTest
class BulkEncodingTest {

  private static final JobType<String> TYPE = JobType.of("text", String.class);
  private static final int SEVERAL_STATEMENTS = 2 * EnqueueStatement.LARGEST + 1;
  private static final String UNENCODABLE = "unencodable";

  private final Fixture fixture;
  private final FaultyDataSource connections;
  private final Set<Thread> threads = new HashSet<>();
  private final Set<Long> borrowedBefore = new HashSet<>();
  private final JobQueue queue;

  BulkEncodingTest(QueueDatabase database) {
    fixture = new Fixture(database);
    connections = new FaultyDataSource(database.dataSource());
    queue =
        JobQueue.builder(connections)
            .schema(database.schema())
            .wakeUps(false)
            .codec(new Recorder())
            .build();
  }

  private final class Recorder implements PayloadCodec {
    @Override
    public String encode(Object payload) {
      threads.add(Thread.currentThread());
      borrowedBefore.add(borrowed());
      if (payload.equals(UNENCODABLE)) {
        throw new PayloadException("Payload cannot be encoded.", new IllegalStateException());
      }
      return "\"" + payload + "\"";
    }

    @Override
    public <T> T decode(String json, Class<T> payloadClass) {
      return payloadClass.cast(json);
    }
  }

  @Test
  void payloadsAreEncodedInTheCallersThreadBeforeAConnectionIsBorrowed() {
    long before = borrowed();

    queue.enqueueAll(TYPE, texts());

    assertThat(threads).containsExactly(Thread.currentThread());
    assertThat(borrowedBefore).containsExactly(before);
    assertThat(borrowed()).isGreaterThan(before);
    assertThat(fixture.value("SELECT count(*) FROM @jobs"))
        .isEqualTo(String.valueOf(SEVERAL_STATEMENTS));
  }

  @Test
  void payloadThatCannotBeEncodedBorrowsNoConnection() {
    List<String> texts = new ArrayList<>(texts());
    texts.add(UNENCODABLE);
    long before = borrowed();

    assertThatThrownBy(() -> queue.enqueueAll(TYPE, texts)).isInstanceOf(PayloadException.class);

    assertThat(borrowed()).isEqualTo(before);
    assertThat(fixture.value("SELECT count(*) FROM @jobs")).isEqualTo("0");
  }

  private long borrowed() {
    return connections.count(FaultyDataSource.Step.CONNECTION);
  }

  private static List<String> texts() {
    return IntStream.range(0, SEVERAL_STATEMENTS).mapToObj(i -> "text " + i).toList();
  }
}
