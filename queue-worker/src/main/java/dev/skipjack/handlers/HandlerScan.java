package dev.skipjack.handlers;

import dev.skipjack.api.JobType;
import dev.skipjack.api.schedule.Schedule;
import dev.skipjack.handlers.spi.HandlerArgument;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.DateTimeException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Finds the annotated methods of a class and checks each of them. */
final class HandlerScan {

  /** The job types that were declared outside the scanned classes, by kind. */
  private final Map<String, JobType<?>> declared;

  private final @Nullable HandlerTransactions transactions;
  private final UnaryOperator<String> texts;
  private final Map<Class<?>, HandlerArgument<?>> arguments = HandlerParameters.available();

  /**
   * @param transactions calls transactional handlers; null if there can be none
   * @param texts resolves the texts of the annotations
   */
  HandlerScan(
      Map<String, JobType<?>> declared,
      @Nullable HandlerTransactions transactions,
      UnaryOperator<String> texts) {
    this.declared = declared;
    this.transactions = transactions;
    this.texts = texts;
  }

  /**
   * Returns the handlers of a class in the order of their kinds.
   *
   * @throws IllegalArgumentException if a method cannot be a handler, or names a missing class
   */
  List<HandlerMethod<?>> scan(Class<?> type, Supplier<?> instance) {
    List<HandlerMethod<?>> found = new ArrayList<>();
    for (Method method : methods(type)) {
      found.add(check(type, method, instance));
    }
    found.sort((one, other) -> one.type().kind().compareTo(other.type().kind()));
    return found;
  }

  private static List<Method> methods(Class<?> type) {
    try {
      return annotated(type);
    } catch (NoClassDefFoundError missing) {
      String name = String.valueOf(missing.getMessage()).replace('/', '.');
      throw new IllegalArgumentException(
          "Class %s cannot be searched for handlers, because it uses the class %s, which is missing. Add the artifact that contains it%s."
              .formatted(
                  type.getName(),
                  name,
                  name.startsWith("dev.skipjack.steps.") ? ": skipjack-steps" : ""),
          missing);
    }
  }

  /** Returns the annotated methods of a class and its superclasses that are not overridden. */
  static List<Method> annotated(Class<?> type) {
    Map<List<Object>, Method> bySignature = new LinkedHashMap<>();
    for (Class<?> each = type; each != null && each != Object.class; each = each.getSuperclass()) {
      Method[] declared = each.getDeclaredMethods();
      for (Method method : declared) {
        if (!method.isSynthetic()) {
          bySignature.putIfAbsent(signature(method), method);
        }
      }
      for (Method method : declared) {
        if (method.isBridge() && isOverride(method, declared)) {
          bySignature.putIfAbsent(signature(method), method);
        }
      }
    }
    return bySignature.values().stream()
        .filter(method -> !method.isBridge())
        .filter(
            method ->
                method.isAnnotationPresent(JobHandler.class)
                    || method.isAnnotationPresent(JobSchedule.class))
        .toList();
  }

  /**
   * Returns whether a bridge exists because a method of the class overrides an inherited one. A
   * public class also has bridges for the public methods that it inherits from a class that is not
   * public.
   */
  private static boolean isOverride(Method bridge, Method[] declared) {
    return Arrays.stream(declared)
        .filter(method -> !method.isBridge() && method.getName().equals(bridge.getName()))
        .anyMatch(method -> accepts(bridge.getParameterTypes(), method.getParameterTypes()));
  }

  private static boolean accepts(Class<?>[] wide, Class<?>[] narrow) {
    return wide.length == narrow.length
        && IntStream.range(0, wide.length).allMatch(i -> wide[i].isAssignableFrom(narrow[i]));
  }

  /**
   * Returns a key that is equal for methods of which one overrides the other. The key of a private
   * method includes its class, because it overrides none.
   */
  private static List<Object> signature(Method method) {
    List<Object> signature = new ArrayList<>(Arrays.asList(method.getParameterTypes()));
    signature.add(method.getName());
    if (Modifier.isPrivate(method.getModifiers())) {
      signature.add(method.getDeclaringClass().getName());
    }
    return signature;
  }

  private HandlerMethod<?> check(Class<?> scanned, Method method, Supplier<?> instance) {
    String name = nameOf(method);
    JobHandler settings = method.getAnnotation(JobHandler.class);
    if (settings == null) {
      throw new IllegalArgumentException(
          "Method %s has a schedule, but is not a handler. Add @JobHandler with the kind of its jobs, or remove @JobSchedule."
              .formatted(name));
    }
    String kind = kind(settings, name);
    if (Modifier.isPrivate(method.getModifiers()) || Modifier.isStatic(method.getModifiers())) {
      throw refused(
          name, kind, "is private or static. Make it an instance method that is visible.");
    }
    JobSchedule schedule = method.getAnnotation(JobSchedule.class);
    HandlerParameters parameters;
    ReturnKind returns;
    try {
      parameters = HandlerParameters.of(method, arguments);
      returns = ReturnKind.of(method);
    } catch (IllegalArgumentException unusable) {
      throw refused(name, kind, String.valueOf(unusable.getMessage()));
    }
    Class<?> payload = parameters.payload();
    HandlerTransactions called =
        settings.transactional() ? transactions(returns, parameters, name, kind) : null;
    JobType<?> type = declaredType(kind, scanned, method, name);
    if (type == null) {
      if (payload == null && schedule == null) {
        throw refused(
            name,
            kind,
            "takes no payload, and the kind has no declared job type. Take the payload, or declare"
                + " the type.");
      }
      type = typeOf(settings, kind, payload == null ? NoPayload.class : payload, name);
      requireDefinition(settings, kind, name);
    } else {
      requireNoAttributes(settings, kind, name);
      if (payload != null && !payload.isAssignableFrom(type.payloadClass())) {
        throw refused(
            name,
            kind,
            "takes a payload of class %s, but the job type declares %s. Change one of them."
                .formatted(payload.getName(), type.payloadClass().getName()));
      }
    }
    if (!method.trySetAccessible()) {
      throw refused(
          name, kind, "is not accessible. Make it public, or open its package to this module.");
    }
    return new HandlerMethod<>(
        type,
        method,
        instance,
        parameters,
        returns,
        called,
        schedule == null ? null : schedule(schedule, type, name),
        name);
  }

  private @Nullable Schedule schedule(JobSchedule settings, JobType<?> type, String name) {
    try {
      return new ScheduleMaker(texts).make(settings, type);
    } catch (IllegalArgumentException wrong) {
      throw new IllegalArgumentException(
          refused(name, type.kind(), String.valueOf(wrong.getMessage())).getMessage(), wrong);
    }
  }

  private HandlerTransactions transactions(
      ReturnKind returns, HandlerParameters parameters, String name, String kind) {
    Optional<String> refusal = parameters.refusalInTransaction();
    if (refusal.isPresent()) {
      throw refused(name, kind, "is transactional. " + refusal.get());
    }
    if (returns == ReturnKind.STAGE) {
      throw refused(
          name,
          kind,
          "is transactional, but returns a CompletionStage. Its transaction ends when it returns:"
              + " wait for the outcome in the handler, or remove transactional = true.");
    }
    if (transactions == null) {
      throw refused(
          name,
          kind,
          "is transactional, but no transactions are configured. Pass them to"
              + " JobHandlers.builder().transactions(...), or remove transactional = true and"
              + " complete the job with JobContext.completeIn.");
    }
    return transactions;
  }

  private static String kind(JobHandler settings, String name) {
    String kind = settings.value().isEmpty() ? settings.kind() : settings.value();
    if (kind.isEmpty()) {
      throw new IllegalArgumentException(
          "Handler %s has no kind. Name it: @JobHandler(\"send-welcome\").".formatted(name));
    }
    if (!settings.value().isEmpty() && !settings.kind().isEmpty()) {
      throw new IllegalArgumentException(
          "Handler %s sets both value = \"%s\" and kind = \"%s\". Set one of them."
              .formatted(name, settings.value(), settings.kind()));
    }
    return kind;
  }

  /** Returns the class of the payload parameter, or null if the method takes no payload. */
  /** Returns the declared type of a kind, or null if there is none. */
  private @Nullable JobType<?> declaredType(
      String kind, Class<?> scanned, Method method, String name) {
    Class<?>[] named = method.getAnnotation(JobHandler.class).types();
    JobType<?> ofNamed = TypeConstants.find(kind, List.of(named));
    if (named.length > 0 && ofNamed == null) {
      throw refused(
          name,
          kind,
          "names the classes %s, but none of them declares a job type of the kind in a static final field. Name the class that does."
              .formatted(
                  Arrays.stream(named).map(Class::getName).collect(Collectors.joining(", "))));
    }
    Set<JobType<?>> found = new LinkedHashSet<>();
    Optional.ofNullable(TypeConstants.find(kind, TypeConstants.own(scanned))).ifPresent(found::add);
    Optional.ofNullable(ofNamed).ifPresent(found::add);
    Optional.ofNullable(declared.get(kind)).ifPresent(found::add);
    if (found.isEmpty()) {
      return TypeConstants.find(kind, TypeConstants.around(scanned, method));
    }
    if (found.size() > 1) {
      throw refused(
          name,
          kind,
          "finds two job types of the kind: a constant of its class and one declared elsewhere."
              + " Declare the kind once.");
    }
    return found.iterator().next();
  }

  /**
   * Rejects an annotation with only the {@code value}, if no job type of the kind was found.
   * Producers need a job type to enqueue, so one probably exists, and the handler would ignore its
   * settings.
   */
  private static void requireDefinition(JobHandler settings, String kind, String name) {
    if (!settings.value().isEmpty() && !hasAttributes(settings)) {
      throw refused(
          name,
          kind,
          "finds no job type of the kind, so it would ignore the queue and the other settings of the type with which jobs are enqueued. Name the class that declares the type, as in @JobHandler(value = \"%s\", types = JobTypes.class), or declare it as a bean. If there is no such type, let the annotation define it: @JobHandler(kind = \"%s\")."
              .formatted(kind, kind));
    }
  }

  private static void requireNoAttributes(JobHandler settings, String kind, String name) {
    if (hasAttributes(settings)) {
      throw refused(
          name,
          kind,
          "sets queue, maxAttempts or timeout, which its declared job type sets too. Remove them"
              + " from the annotation.");
    }
  }

  private static boolean hasAttributes(JobHandler settings) {
    return !settings.queue().isEmpty()
        || settings.maxAttempts() != 0
        || !settings.timeout().isEmpty();
  }

  private JobType<?> typeOf(JobHandler settings, String kind, Class<?> payload, String name) {
    try {
      JobType<?> type = JobType.of(kind, payload);
      if (!settings.queue().isEmpty()) {
        type = type.onQueue(texts.apply(settings.queue()));
      }
      if (settings.maxAttempts() != 0) {
        type = type.maxAttempts(settings.maxAttempts());
      }
      if (!settings.timeout().isEmpty()) {
        type = type.timeout(DurationText.parse(texts.apply(settings.timeout())));
      }
      return type;
    } catch (IllegalArgumentException | DateTimeException | ArithmeticException wrong) {
      throw new IllegalArgumentException(
          "Handler %s of kind '%s' has an invalid attribute. %s"
              .formatted(name, kind, wrong.getMessage()),
          wrong);
    }
  }

  private static IllegalArgumentException refused(String name, String kind, String problem) {
    return new IllegalArgumentException(
        "Handler %s of kind '%s' %s".formatted(name, kind, problem));
  }

  private static String nameOf(Method method) {
    return "%s.%s(%s)"
        .formatted(
            method.getDeclaringClass().getName(),
            method.getName(),
            Arrays.stream(method.getParameterTypes())
                .map(Class::getSimpleName)
                .collect(Collectors.joining(", ")));
  }
}
