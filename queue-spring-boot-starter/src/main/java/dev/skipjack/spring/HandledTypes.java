package dev.skipjack.spring;

import dev.skipjack.api.JobType;
import java.util.List;
import java.util.Map;
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
  static final HandledTypes UNKNOWN = new HandledTypes(List::of);

  private static final Logger LOG = LoggerFactory.getLogger(HandledTypes.class);

  private final Supplier<List<JobType<?>>> annotated;
  private volatile boolean created;

  /** Null until they are known. */
  private volatile @Nullable Map<String, JobType<?>> byKind;

  /**
   * @param annotated reads the types of the annotated handlers
   */
  HandledTypes(Supplier<List<JobType<?>>> annotated) {
    this.annotated = annotated;
  }

  @Override
  public void afterSingletonsInstantiated() {
    created = true;
  }

  /** Sets the types of a worker that has been built. */
  void set(List<JobType<?>> types) {
    byKind = types.stream().collect(Collectors.toMap(JobType::kind, Function.identity()));
  }

  /**
   * Rejects a type with which jobs are enqueued that their handler would not run, or could not
   * read.
   *
   * @throws IllegalArgumentException if the type and that of the handler differ in the queue, the
   *     payload version or the payload class. The message names the calling method
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
    JobType<?> handled = known().get(enqueued.kind());
    if (handled != null && handled != enqueued && differ(handled, enqueued)) {
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

  private static boolean differ(JobType<?> one, JobType<?> other) {
    return !one.queue().equals(other.queue())
        || one.payloadVersion() != other.payloadVersion()
        || one.payloadClass() != other.payloadClass();
  }

  private static String settings(JobType<?> type) {
    return "queue '%s', payload version %d and payload class %s"
        .formatted(type.queue(), type.payloadVersion(), type.payloadClass().getName());
  }

  private Map<String, JobType<?>> known() {
    Map<String, JobType<?>> known = byKind;
    if (known == null && created) {
      read();
      known = byKind;
    }
    return known == null ? Map.of() : known;
  }

  private synchronized void read() {
    if (byKind != null) {
      return;
    }
    try {
      set(annotated.get());
    } catch (RuntimeException | LinkageError incorrect) {
      // The handlers belong to other processes, which refuse to start.
      LOG.warn("Types of enqueued jobs not compared with those of their handlers", incorrect);
      set(List.of());
    }
  }
}
