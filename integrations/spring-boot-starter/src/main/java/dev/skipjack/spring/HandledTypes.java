package dev.skipjack.spring;

import dev.skipjack.api.JobType;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * The types of the jobs that the application handles. They are known when the worker has been
 * built. In a process that does not start the worker, they are read from the handlers' annotations
 * at the first enqueue after all beans have been created. Until then, and for kinds that only other
 * applications handle, any type is accepted. Safe for any number of threads.
 */
final class HandledTypes implements SmartInitializingSingleton {

  /** Accepts every type. */
  static final HandledTypes UNKNOWN = new HandledTypes(List::of, types -> Set.of());

  private static final Logger LOG = LoggerFactory.getLogger(HandledTypes.class);

  /**
   * @param queues the queues that the application's worker serves
   */
  private record Handled(Map<String, JobType<?>> byKind, Set<String> queues) {}

  private static final Handled NONE = new Handled(Map.of(), Set.of());

  private final Supplier<List<JobType<?>>> annotated;
  private final Function<List<JobType<?>>, Set<String>> served;
  private volatile boolean created;

  /** Null until they are known. */
  private final AtomicReference<@Nullable Handled> current = new AtomicReference<>();

  /**
   * @param annotated reads the types of the annotated handlers
   * @param served returns the queues that a worker with these handlers would serve
   */
  HandledTypes(
      Supplier<List<JobType<?>>> annotated, Function<List<JobType<?>>, Set<String>> served) {
    this.annotated = annotated;
    this.served = served;
  }

  @Override
  public void afterSingletonsInstantiated() {
    created = true;
  }

  /** Sets the types and queues of a worker that has been built. */
  void set(List<JobType<?>> types, Collection<String> queues) {
    current.set(handled(types, queues));
  }

  private static Handled handled(List<JobType<?>> types, Collection<String> queues) {
    return new Handled(
        types.stream().collect(Collectors.toMap(JobType::kind, Function.identity())),
        Set.copyOf(queues));
  }

  /**
   * Rejects a type if the handler would not run or could not read the jobs enqueued with that type.
   *
   * @throws IllegalArgumentException if the type and the handler's type differ in the payload
   *     version or class, or if their queues differ and the application's worker does not serve the
   *     type's queue. The message names the calling method
   */
  void requireSame(JobType<?> enqueued) {
    requireSame(enqueued, TransactionalWrites::caller);
  }

  /**
   * Rejects a type as {@link #requireSame(JobType)} does.
   *
   * @param enqueuer returns the name of what enqueues the jobs, for the message
   */
  void requireSame(JobType<?> enqueued, Supplier<String> enqueuer) {
    Handled known = known();
    JobType<?> handled = known.byKind().get(enqueued.kind());
    if (handled != null && handled != enqueued && differ(handled, enqueued, known.queues())) {
      throw new IllegalArgumentException(
          "%s enqueues jobs of kind '%s' with a job type that has %s, but the handler of this application has a type with %s. Declare the type once and use it for both, for example with @JobHandler(value = \"%s\", types = ...) or as a bean; to enqueue a job into another queue, use EnqueueOptions.onQueue."
              .formatted(
                  enqueuer.get(),
                  enqueued.kind(),
                  settings(enqueued),
                  settings(handled),
                  enqueued.kind()));
    }
  }

  private static boolean differ(JobType<?> handled, JobType<?> enqueued, Set<String> queues) {
    return !(handled.queue().equals(enqueued.queue()) || queues.contains(enqueued.queue()))
        || handled.payloadVersion() != enqueued.payloadVersion()
        || handled.payloadClass() != enqueued.payloadClass();
  }

  private static String settings(JobType<?> type) {
    return "queue '%s', payload version %d and payload class %s"
        .formatted(type.queue(), type.payloadVersion(), type.payloadClass().getName());
  }

  private Handled known() {
    Handled found = current.get();
    if (found == null && created) {
      // This takes no lock, because the bean factory has one of its own. A worker's types take
      // precedence.
      current.compareAndSet(null, read());
      found = current.get();
    }
    return found == null ? NONE : found;
  }

  private Handled read() {
    try {
      List<JobType<?>> types = annotated.get();
      return handled(types, served.apply(types));
    } catch (RuntimeException | LinkageError incorrect) {
      // Only processes that run the handlers refuse to start.
      LOG.warn("Types of enqueued jobs not compared with those of their handlers", incorrect);
      return NONE;
    }
  }
}
