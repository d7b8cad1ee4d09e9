package dev.skipjack.observation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.Handler;
import dev.skipjack.worker.Worker;
import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ThreadLocalAccessor;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

@QueueTest
class CarriedContextTest {

  private static final JobType<String> MAIL =
      JobType.of("mail", String.class).onQueue("mails").maxAttempts(1);

  private QueueDatabase database;

  @BeforeEach
  void setUp(QueueDatabase given) {
    database = given;
  }

  @AfterEach
  void emptyTheLoggingContext() {
    MDC.clear();
  }

  private JobQueue queue(CarriedContext context) {
    return JobQueue.builder(database.dataSource())
        .schema(database.schema())
        .interceptor(context)
        .build();
  }

  private static void run(JobQueue queue, CarriedContext context, Handler<String> handler) {
    Worker.on(queue)
        .handle(MAIL, handler)
        .queue("mails", 1)
        .interceptor(context)
        .build()
        .runUntilIdle();
  }

  @Test
  void entriesOfTheLoggingContextReachTheHandlerAndItsFollowUps() {
    CarriedContext context = CarriedContext.of(MdcEntries.of("tenant", "requestId"));
    JobQueue queue = queue(context);
    MDC.put("requestId", "r-1\n2");
    MDC.put("tenant", "acme");
    queue.enqueue(MAIL, "first");
    queue.enqueue(MAIL, "given", job -> job.header("mdc-tenant", "given"));
    MDC.clear();
    queue.enqueue(MAIL, "none");
    List<String> seen = new ArrayList<>();

    run(
        queue,
        context,
        (payload, job) -> {
          seen.add("%s %s %s".formatted(payload, MDC.get("tenant"), MDC.get("requestId")));
          if (payload.equals("first")) {
            try (Connection connection = database.connection()) {
              connection.setAutoCommit(false);
              job.enqueueIn(connection).enqueue(MAIL, "follow-up");
              connection.commit();
              connection.setAutoCommit(true);
            }
          }
          return Outcome.completed();
        });

    assertThat(seen)
        .containsExactly(
            "first acme r-1 2", "given given r-1 2", "none null null", "follow-up acme r-1 2");
  }

  @Test
  void aLongEntryIsCut() {
    MDC.put("tenant", "\uD83D\uDE00".repeat(1_000));

    assertThat(MdcEntries.of("tenant").capture())
        .isEqualTo(Map.of("mdc-tenant", "\uD83D\uDE00".repeat(256)));
  }

  @Test
  void anEarlierEntryIsRestored() {
    MdcEntries entries = MdcEntries.of("tenant", "user", "other");
    MDC.put("tenant", "mine");
    MDC.put("other", "kept");

    ContextCarrier.Restored restored =
        entries.restore(Map.of("mdc-tenant", "acme", "mdc-user", "u"));
    assertThat(MDC.getCopyOfContextMap())
        .isEqualTo(Map.of("tenant", "acme", "user", "u", "other", "kept"));
    restored.close();

    assertThat(MDC.getCopyOfContextMap()).isEqualTo(Map.of("tenant", "mine", "other", "kept"));
  }

  @Test
  void namesThatNoHeaderCanHaveAreRefused() {
    assertThatThrownBy(() -> MdcEntries.of("a b")).hasMessageContaining("'mdc-a b'");
    assertThatThrownBy(() -> MdcEntries.of("userId", "userid")).hasMessageContaining("'userid'");
    assertThatThrownBy(() -> PropagatedContext.of("Tenant", accessor(new ThreadLocal<>(), "t")))
        .hasMessageContaining("'Tenant'");
  }

  @Test
  void aPropagatedValueReachesTheHandler() {
    ThreadLocal<Integer> tenant = new ThreadLocal<>();
    CarriedContext context =
        CarriedContext.of(
            PropagatedContext.of(
                "tenant", accessor(tenant, "tenant"), String::valueOf, Integer::valueOf));
    JobQueue queue = queue(context);
    tenant.set(7);
    queue.enqueue(MAIL, "a");
    tenant.remove();
    queue.enqueue(MAIL, "b");
    List<String> seen = new ArrayList<>();

    run(
        queue,
        context,
        (payload, job) -> {
          seen.add(payload + tenant.get());
          return Outcome.completed();
        });

    assertThat(seen).containsExactly("a7", "bnull");
  }

  @SuppressWarnings("unchecked") // the registry keeps no types
  private static <V> ThreadLocalAccessor<V> accessor(ThreadLocal<V> local, String key) {
    return (ThreadLocalAccessor<V>)
        new ContextRegistry()
            .registerThreadLocalAccessor(key, local)
            .getThreadLocalAccessors()
            .get(0);
  }

  private record Recorder(String name, List<String> calls, boolean restores, Runnable remove)
      implements ContextCarrier {

    @Override
    public Map<String, String> capture() {
      return Map.of();
    }

    @Override
    public Restored restore(Map<String, String> headers) {
      calls.add("restore " + name);
      if (!restores) {
        throw new IllegalStateException("restore " + name);
      }
      return () -> {
        calls.add("remove " + name);
        remove.run();
      };
    }
  }

  private static void nothing() {}

  @Test
  void contextIsRemovedInReverseOrderAlsoIfACarrierFailsToRemoveIt() {
    List<String> calls = new ArrayList<>();
    CarriedContext context =
        CarriedContext.of(
            new Recorder("a", calls, true, CarriedContextTest::nothing),
            new Recorder(
                "b",
                calls,
                true,
                () -> {
                  throw new IllegalStateException("remove b");
                }),
            new Recorder(
                "c",
                calls,
                true,
                () -> {
                  throw new NoClassDefFoundError("remove c");
                }),
            new Recorder("d", calls, true, CarriedContextTest::nothing));
    JobQueue queue = queue(context);
    JobId id = queue.enqueue(MAIL, "a");

    run(
        queue,
        context,
        (payload, job) -> {
          calls.add("handler");
          return Outcome.completed();
        });

    assertThat(calls)
        .containsExactly(
            "restore a",
            "restore b",
            "restore c",
            "restore d",
            "handler",
            "remove d",
            "remove c",
            "remove b",
            "remove a");
    assertThat(queue.reader().find(id).orElseThrow().summary().status()).hasToString("COMPLETED");
  }

  @Test
  void aCarrierThatCannotRestoreFailsTheAttemptAndTheOthersAreRemoved() {
    List<String> calls = new ArrayList<>();
    CarriedContext context =
        CarriedContext.of(
            new Recorder("a", calls, true, CarriedContextTest::nothing),
            new Recorder("b", calls, true, CarriedContextTest::nothing),
            new Recorder("c", calls, false, CarriedContextTest::nothing));
    JobQueue queue = queue(context);
    JobId id = queue.enqueue(MAIL, "a");

    run(
        queue,
        context,
        (payload, job) -> {
          calls.add("handler");
          return Outcome.completed();
        });

    assertThat(calls)
        .containsExactly("restore a", "restore b", "restore c", "remove b", "remove a");
    assertThat(Objects.requireNonNull(queue.reader().find(id).orElseThrow().summary().lastError()))
        .contains("restore c");
  }
}
