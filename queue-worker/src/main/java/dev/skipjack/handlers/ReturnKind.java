package dev.skipjack.handlers;

import dev.skipjack.api.Outcome;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** Converts what a handler method returned to the outcome of the attempt. */
enum ReturnKind {
  NOTHING {
    @Override
    Outcome outcome(@Nullable Object returned) {
      return Outcome.completed();
    }
  },

  OUTCOME {
    @Override
    @Nullable Outcome outcome(@Nullable Object returned) {
      return (Outcome) returned;
    }
  },

  STAGE {
    // The return type was checked when the method was scanned.
    @SuppressWarnings("unchecked")
    @Override
    @Nullable Outcome outcome(@Nullable Object returned) {
      return returned == null
          ? null
          : Outcome.async((CompletionStage<? extends @Nullable Outcome>) returned);
    }
  },

  RESULT {
    @Override
    Outcome outcome(@Nullable Object returned) {
      return Outcome.completed(returned);
    }
  };

  /** A type of Reactive Streams, which this module must not require. */
  private static final String PUBLISHER = "org.reactivestreams.Publisher";

  /** Returns the outcome for a returned value; null counts as a failure. */
  abstract @Nullable Outcome outcome(@Nullable Object returned);

  /**
   * Determines how the values that a method returns are converted.
   *
   * @throws IllegalArgumentException if the worker could not use them; the message continues a
   *     sentence that begins with the method
   */
  static ReturnKind of(Method method) {
    Class<?> type = method.getReturnType();
    if (type == void.class || type == Void.class) {
      return NOTHING;
    }
    if (Outcome.class.isAssignableFrom(type)) {
      return OUTCOME;
    }
    if (CompletionStage.class.isAssignableFrom(type)) {
      if (!suppliesOutcomes(method.getGenericReturnType())) {
        throw new IllegalArgumentException(
            "returns %s. Return CompletionStage<Outcome>; convert a value with thenApply(Outcome::completed)."
                .formatted(method.getGenericReturnType().getTypeName()));
      }
      return STAGE;
    }
    if (type == Object.class || Future.class.isAssignableFrom(type) || isPublisher(type)) {
      throw new IllegalArgumentException(
          "returns %s, from which the outcome of the job cannot be determined. Return void, a result, Outcome or CompletionStage<Outcome>."
              .formatted(type.getName()));
    }
    return RESULT;
  }

  private static boolean suppliesOutcomes(Type stage) {
    if (!(stage instanceof ParameterizedType generic)
        || generic.getActualTypeArguments().length != 1) {
      return false;
    }
    Type supplied = generic.getActualTypeArguments()[0];
    Type bound = supplied instanceof WildcardType any ? any.getUpperBounds()[0] : supplied;
    return bound instanceof Class<?> value && Outcome.class.isAssignableFrom(value);
  }

  /** Publishers are rejected, because the worker does not subscribe to them. */
  private static boolean isPublisher(@Nullable Class<?> type) {
    if (type == null) {
      return false;
    }
    if (type == Flow.Publisher.class || type.getName().equals(PUBLISHER)) {
      return true;
    }
    for (Class<?> parent : type.getInterfaces()) {
      if (isPublisher(parent)) {
        return true;
      }
    }
    return isPublisher(type.getSuperclass());
  }
}
