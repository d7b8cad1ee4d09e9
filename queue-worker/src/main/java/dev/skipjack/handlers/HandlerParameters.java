package dev.skipjack.handlers;

import dev.skipjack.handlers.spi.HandlerArgument;
import dev.skipjack.worker.JobContext;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a handler method.
 *
 * @param inOrder what each parameter gets; empty for the payload
 * @param payload the class of the payload; null if the method takes none
 */
record HandlerParameters(List<Optional<HandlerArgument<?>>> inOrder, @Nullable Class<?> payload) {

  /** A parameter of the module skipjack-steps, which this module does not know. */
  private static final String STEPS = "dev.skipjack.steps.Steps";

  /** Returns what methods can take besides the payload, by the class of the parameter. */
  static Map<Class<?>, HandlerArgument<?>> available() {
    Map<Class<?>, HandlerArgument<?>> available = new LinkedHashMap<>();
    available.put(JobContext.class, new ContextArgument());
    ServiceLoader.load(HandlerArgument.class, HandlerArgument.class.getClassLoader())
        .forEach(each -> available.putIfAbsent(each.type(), each));
    return available;
  }

  private record ContextArgument() implements HandlerArgument<JobContext> {
    @Override
    public Class<JobContext> type() {
      return JobContext.class;
    }

    @Override
    public JobContext of(JobContext job) {
      return job;
    }
  }

  /**
   * Checks the parameters of a method.
   *
   * @param available what the method can take besides the payload
   * @throws IllegalArgumentException if they are unusable; the message continues a sentence that
   *     begins with the method
   */
  static HandlerParameters of(Method method, Map<Class<?>, HandlerArgument<?>> available) {
    Class<?>[] types = method.getParameterTypes();
    List<Optional<HandlerArgument<?>>> inOrder = new ArrayList<>();
    Class<?> payload = null;
    for (int i = 0; i < types.length; i++) {
      Optional<HandlerArgument<?>> argument = Optional.ofNullable(available.get(types[i]));
      if (argument.isEmpty()) {
        requireKnown(types[i]);
        if (payload != null) {
          throw new IllegalArgumentException(
              "has %d parameters. Take the payload and, if needed, a %s."
                  .formatted(types.length, names(available)));
        }
        payload = payload(method.getGenericParameterTypes()[i]);
      } else if (inOrder.contains(argument)) {
        throw new IllegalArgumentException(
            "takes two parameters of class %s. Take one.".formatted(types[i].getSimpleName()));
      }
      inOrder.add(argument);
    }
    return new HandlerParameters(inOrder, payload);
  }

  /** Rejects steps without their service, because they would be taken for the payload. */
  private static void requireKnown(Class<?> type) {
    if (type.getName().equals(STEPS)) {
      throw new IllegalArgumentException(
          "takes Steps, but the service file of skipjack-steps is missing. If several jars are merged into one, merge the files in META-INF/services too.");
    }
  }

  private static String names(Map<Class<?>, HandlerArgument<?>> available) {
    return available.keySet().stream()
        .map(Class::getSimpleName)
        .collect(Collectors.joining(" and a "));
  }

  private static Class<?> payload(Type generic) {
    if (!(generic instanceof Class<?> type)) {
      throw new IllegalArgumentException(
          "takes the generic type %s. Payloads are decoded by class: take a record instead."
              .formatted(generic.getTypeName()));
    }
    return MethodType.methodType(type).wrap().returnType();
  }

  /** Returns why the method cannot be transactional, or empty if it can. */
  Optional<String> refusalInTransaction() {
    return inOrder.stream()
        .flatMap(Optional::stream)
        .map(HandlerArgument::refusalInTransaction)
        .flatMap(Optional::stream)
        .findFirst();
  }

  /** Returns the arguments for an attempt. */
  Object[] arguments(Object payload, JobContext job) {
    return inOrder.stream()
        .map(argument -> argument.<Object>map(each -> each.of(job)).orElse(payload))
        .toArray();
  }
}
