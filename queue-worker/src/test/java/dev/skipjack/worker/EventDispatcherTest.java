package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.JobError;
import dev.skipjack.api.JobId;
import dev.skipjack.worker.WorkerEvent.DatabaseLost;
import dev.skipjack.worker.WorkerEvent.Dead;
import dev.skipjack.worker.WorkerEvent.Failed;
import dev.skipjack.worker.WorkerEvent.LoopFailed;
import dev.skipjack.worker.WorkerEvent.PoolExhausted;
import dev.skipjack.worker.WorkerEvent.QueuePaused;
import dev.skipjack.worker.WorkerEvent.ScheduleFailed;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(30)
class EventDispatcherTest {

  private static final long LONG = Duration.ofSeconds(20).toNanos();
  private static final WorkerEvent EVENT = new QueuePaused("q");
  private static final AttemptInfo ATTEMPT =
      new AttemptInfo(new JobId(1), new ExecutionId(2), "q", "k", 1, 1);

  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch release = new CountDownLatch(1);
  private final AtomicInteger heard = new AtomicInteger();
  private final AtomicLong dropped = new AtomicLong();
  private final AtomicInteger counts = new AtomicInteger();
  private final EventDispatcher dispatcher =
      new EventDispatcher(List.of(this::hang), "w", this::drop);

  @AfterEach
  void stop() throws InterruptedException {
    release.countDown();
    dispatcher.stop(LONG);
  }

  private void drop(long events) {
    dropped.addAndGet(events);
    counts.incrementAndGet();
  }

  private void hang(WorkerEvent event) {
    begun.countDown();
    try {
      release.await();
    } catch (InterruptedException interrupted) {
      return;
    }
    heard.incrementAndGet();
  }

  @Test
  void eventsThatDoNotFitAreDroppedAndCounted() throws Exception {
    startAndHang();

    dispatch(EVENT, EventDispatcher.CAPACITY + 7);
    assertThat(dropped).as("the first is counted although the listener hangs").hasPositiveValue();
    release.countDown();
    dispatcher.stop(LONG);

    assertThat(heard).hasValue(EventDispatcher.CAPACITY + 1);
    assertThat(dropped).hasValue(7);
  }

  /** A burst of failures must not fill the heap with stack traces. */
  @Test
  void longErrorsFillTheQueueEarlier() throws Exception {
    startAndHang();
    Dead dead = new Dead(ATTEMPT, new JobError("E", "m".repeat(1_000), "s".repeat(31_000)));
    int room = (int) (EventDispatcher.LONGEST_TEXT / 32_000);

    dispatch(dead, room + 3);
    dispatch(EVENT, 1);
    release.countDown();
    dispatcher.stop(LONG);

    assertThat(heard).hasValue(room + 2);
    assertThat(dropped).hasValue(3);
  }

  @ParameterizedTest
  @MethodSource("eventsWithExceptions")
  void exceptionsFillTheQueueEarlier(WorkerEvent event) throws Exception {
    startAndHang();
    int room = (int) (EventDispatcher.LONGEST_TEXT / EventDispatcher.LENGTH_OF_EXCEPTION);

    dispatch(event, room + 3);
    release.countDown();
    dispatcher.stop(LONG);

    assertThat(heard).hasValue(room + 1);
    assertThat(dropped).hasValue(3);
  }

  static List<WorkerEvent> eventsWithExceptions() {
    Exception failure = new IllegalStateException("unavailable");
    return List.of(
        new DatabaseLost(failure), new PoolExhausted(failure), new LoopFailed("l", failure));
  }

  /** The metrics are the user's code and are called by the threads that renew leases. */
  @Test
  void dropsAreCountedInBatches() throws Exception {
    startAndHang();

    dispatch(EVENT, EventDispatcher.CAPACITY);
    long before = System.nanoTime();
    dispatch(EVENT, 10_000);
    long seconds = Duration.ofNanos(System.nanoTime() - before).toSeconds();

    assertThat(counts).hasValueBetween(1, (int) seconds + 1);
    release.countDown();
    dispatcher.stop(LONG);
    assertThat(dropped).hasValue(10_000);
  }

  @Test
  void aStopInterruptsAListenerThatHangsAndDropsTheRest() throws Exception {
    startAndHang();
    dispatch(EVENT, 5);

    dispatcher.stop(Duration.ofMillis(50).toNanos());
    assertThat(dropped).hasValue(5);
    dispatch(EVENT, 1);

    await().during(Duration.ofMillis(50)).until(() -> heard.get() == 0);
    assertThat(dropped).as("a stopped worker emits nothing").hasValue(5);
  }

  @Test
  void exceptionsAndInterruptsOfOneListenerDoNotReachTheNext() throws Exception {
    List<Boolean> interrupted = new CopyOnWriteArrayList<>();
    EventDispatcher three =
        new EventDispatcher(
            List.of(
                event -> {
                  throw new AssertionError("broken");
                },
                event -> Thread.currentThread().interrupt(),
                event -> interrupted.add(Thread.currentThread().isInterrupted())),
            "w",
            this::drop);
    three.start(new WorkerThreads("w"));
    three.dispatch(EVENT);
    three.dispatch(EVENT);
    three.stop(LONG);

    assertThat(interrupted).containsExactly(false, false);
  }

  /** A listener's watchdog may interrupt the thread after the listener has returned. */
  @Test
  void anInterruptWhileIdleDoesNotKeepTheThreadBusy() throws Exception {
    WorkerThreads threads = new WorkerThreads("w");
    release.countDown();
    dispatcher.start(threads);
    dispatch(EVENT, 1);
    await().until(() -> heard.get() == 1);
    Thread thread = eventsThread();
    await().until(() -> thread.getState() == Thread.State.WAITING);

    thread.interrupt();

    await().until(() -> !thread.isInterrupted());
    await().until(() -> thread.getState() == Thread.State.WAITING);
    dispatch(EVENT, 1);
    await().until(() -> heard.get() == 2);
  }

  private Thread eventsThread() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(candidate -> candidate.getName().startsWith("queue-w-events"))
        .findFirst()
        .orElseThrow();
  }

  /** A new event type that carries an error must also count against the size of the queue. */
  @Test
  void everyEventWithAnErrorCounts() {
    List<String> weighed =
        Stream.of(
                DatabaseLost.class,
                PoolExhausted.class,
                LoopFailed.class,
                ScheduleFailed.class,
                Dead.class,
                Failed.class)
            .map(Class::getSimpleName)
            .toList();

    List<String> withErrors =
        Stream.of(WorkerEvent.class.getPermittedSubclasses())
            .filter(
                event ->
                    Stream.of(event.getRecordComponents())
                        .anyMatch(
                            part ->
                                Throwable.class.isAssignableFrom(part.getType())
                                    || part.getType() == JobError.class))
            .map(Class::getSimpleName)
            .toList();

    assertThat(withErrors)
        .as("add a new one to EventDispatcher.lengthOf and here")
        .containsExactlyInAnyOrderElementsOf(weighed);
  }

  private void startAndHang() throws InterruptedException {
    dispatcher.start(new WorkerThreads("w"));
    dispatcher.dispatch(EVENT);
    begun.await();
  }

  private void dispatch(WorkerEvent event, int times) {
    for (int i = 0; i < times; i++) {
      dispatcher.dispatch(event);
    }
  }
}
