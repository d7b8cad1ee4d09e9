package dev.skipjack.handlers;

import dev.skipjack.api.JobType;
import dev.skipjack.api.schedule.Schedule;
import dev.skipjack.worker.Worker;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The handlers that the methods of some objects declare with {@link JobHandler}, and their
 * schedules.
 *
 * <pre>{@code
 * Worker.Builder worker = Worker.on(queue).queue("emails", 20);
 * JobHandlers.of(new Mails(), new Invoices()).addTo(worker);
 * worker.start();
 * }</pre>
 *
 * <p>Every declaration is checked when it is scanned, so a method that could not run its jobs is
 * rejected before the worker starts. Immutable and safe for any number of threads.
 */
public final class JobHandlers {

  private final Map<String, HandlerMethod<?>> byKind;

  private JobHandlers(Map<String, HandlerMethod<?>> byKind) {
    this.byKind = byKind;
  }

  /**
   * Scans objects for handlers. Their classes and superclasses are searched. A method that
   * overrides a handler needs the annotation too.
   *
   * @param objects the objects with handlers
   * @return the handlers
   * @throws IllegalArgumentException if an object has no handler, if a handler is declared
   *     incorrectly, or if a kind has two handlers or a schedule name is used twice. The message
   *     names the problem and the fix
   */
  public static JobHandlers of(Object... objects) {
    Builder builder = builder();
    for (Object object : objects) {
      builder.scan(object);
    }
    return builder.build();
  }

  /** {@return an empty builder} */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * {@return whether a class or a superclass has a method with {@link JobHandler} or {@link
   * JobSchedule}}
   *
   * @param type the class
   */
  public static boolean areDeclaredBy(Class<?> type) {
    return !HandlerScan.annotated(type).isEmpty();
  }

  /**
   * {@return the classes whose static final fields are searched for the job types of a class's
   * handlers} Tools need them if reflection must be declared in advance.
   *
   * @param type the class
   */
  public static Set<Class<?>> constantsReadBy(Class<?> type) {
    Set<Class<?>> classes = TypeConstants.own(type);
    for (Method method : HandlerScan.annotated(type)) {
      JobHandler settings = method.getAnnotation(JobHandler.class);
      if (settings != null) {
        classes.addAll(List.of(settings.types()));
      }
      classes.addAll(TypeConstants.around(type, method));
    }
    return classes;
  }

  /**
   * {@return whether a handler's parameter of a class is its payload, and not an object that it
   * gets besides, such as the {@code JobContext}} Tools need it if conversion must be declared in
   * advance.
   *
   * @param parameter the class of the parameter
   */
  public static boolean isPayload(Class<?> parameter) {
    return !HandlerParameters.available().containsKey(parameter);
  }

  /** {@return the job types of the handlers, in the order of their kinds} */
  public List<JobType<?>> types() {
    List<JobType<?>> types = new ArrayList<>();
    byKind.values().forEach(handler -> types.add(handler.type()));
    return List.copyOf(types);
  }

  /**
   * {@return the schedules of the handlers, in the order of their kinds, without {@linkplain
   * JobSchedule#DISABLED disabled} schedules}
   */
  public List<Schedule> schedules() {
    List<Schedule> schedules = new ArrayList<>();
    for (HandlerMethod<?> handler : byKind.values()) {
      if (handler.schedule() != null) {
        schedules.add(handler.schedule());
      }
    }
    return List.copyOf(schedules);
  }

  /**
   * Adds the handlers and their schedules to a worker.
   *
   * @param worker the builder of the worker
   * @throws IllegalArgumentException if the worker already has a handler of one of the kinds or a
   *     schedule of one of the names, or the queue does not support the schedules
   * @throws dev.skipjack.api.PayloadException if the queue's codec cannot decode a payload class
   */
  public void addTo(Worker.Builder worker) {
    byKind.values().forEach(handler -> handler.addTo(worker));
  }

  /** Builds {@link JobHandlers}. Not thread-safe. */
  public static final class Builder {

    private record Source(Class<?> type, Supplier<?> instance) {}

    private final Map<String, JobType<?>> types = new LinkedHashMap<>();
    private final List<Source> sources = new ArrayList<>();
    private @Nullable HandlerTransactions transactions;
    private UnaryOperator<String> texts = UnaryOperator.identity();

    private Builder() {}

    /**
     * Declares a job type, which a handler of its kind then uses.
     *
     * @param type the jobs' type
     * @return this builder
     * @throws IllegalArgumentException if another type of the kind was declared
     */
    public Builder type(JobType<?> type) {
      JobType<?> other = types.putIfAbsent(type.kind(), type);
      if (other != null && other != type) {
        throw new IllegalArgumentException(
            "Kind '%s' has two job types: %s and %s. Declare one."
                .formatted(type.kind(), other, type));
      }
      return this;
    }

    /**
     * Sets how handlers with {@link JobHandler#transactional} are called.
     *
     * @param transactions calls transactional handlers
     * @return this builder
     */
    public Builder transactions(HandlerTransactions transactions) {
      this.transactions =
          Objects.requireNonNull(transactions, "The handler transactions must not be null.");
      return this;
    }

    /**
     * Sets a function that resolves the texts of annotations, for example replaces placeholders
     * such as {@code ${report.cron}}. It is called for {@link JobHandler#queue}, {@link
     * JobHandler#timeout}, {@link JobSchedule#cron}, {@link JobSchedule#every} and {@link
     * JobSchedule#zone}, but not for kinds and names. Default: texts are used as they are.
     *
     * @param resolver resolves a text
     * @return this builder
     */
    public Builder texts(UnaryOperator<String> resolver) {
      this.texts = Objects.requireNonNull(resolver, "The resolver of texts must not be null.");
      return this;
    }

    /**
     * Adds an object whose methods are scanned.
     *
     * @param object the object with annotated methods
     * @return this builder
     */
    public Builder scan(Object object) {
      Objects.requireNonNull(object, "The object with handlers must not be null.");
      return scan(object.getClass(), () -> object);
    }

    /**
     * Adds a class whose methods are scanned.
     *
     * @param type the class
     * @param instance supplies the object whose method is called, once for each attempt; an
     *     instance of {@code type}
     * @return this builder
     */
    public Builder scan(Class<?> type, Supplier<?> instance) {
      sources.add(new Source(type, instance));
      return this;
    }

    /**
     * Scans the classes.
     *
     * @return the handlers
     * @throws IllegalArgumentException in the cases of {@link JobHandlers#of}
     */
    public JobHandlers build() {
      HandlerScan scan = new HandlerScan(types, transactions, texts);
      Map<String, HandlerMethod<?>> byKind = new TreeMap<>();
      Map<String, HandlerMethod<?>> bySchedule = new LinkedHashMap<>();
      for (Source source : sources) {
        List<HandlerMethod<?>> found = scan.scan(source.type(), source.instance());
        if (found.isEmpty()) {
          throw new IllegalArgumentException(
              "Class %s has no method with @JobHandler. Annotate one, or do not scan the class."
                  .formatted(source.type().getName()));
        }
        for (HandlerMethod<?> handler : found) {
          HandlerMethod<?> other = byKind.putIfAbsent(handler.type().kind(), handler);
          if (other != null) {
            throw new IllegalArgumentException(
                "Kind '%s' has two handlers: %s and %s. Keep one, or give the other a kind of its own."
                    .formatted(handler.type().kind(), other.name(), handler.name()));
          }
          requireOwnSchedule(handler, bySchedule);
        }
      }
      return new JobHandlers(byKind);
    }

    private static void requireOwnSchedule(
        HandlerMethod<?> handler, Map<String, HandlerMethod<?>> bySchedule) {
      Schedule schedule = handler.schedule();
      HandlerMethod<?> other =
          schedule == null ? null : bySchedule.putIfAbsent(schedule.name(), handler);
      if (schedule != null && other != null) {
        throw new IllegalArgumentException(
            "Schedule '%s' has two handlers: %s and %s. Give each schedule a name of its own."
                .formatted(schedule.name(), other.name(), handler.name()));
      }
    }
  }
}
