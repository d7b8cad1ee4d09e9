package dev.skipjack.spring;

import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.handlers.JobHandlers;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/**
 * Adds the hints with which a native image can find and call the handlers of a bean, and convert
 * their payloads and results to JSON and back.
 */
final class HandlerAotProcessor implements BeanRegistrationAotProcessor {

  private final BindingReflectionHintsRegistrar binding = new BindingReflectionHintsRegistrar();

  @Override
  public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
    Class<?> type = ClassUtils.getUserClass(bean.getBeanClass());
    if (type == JobType.class) {
      Type payload = bean.getBeanType().getGeneric(0).getType();
      return (generation, code) ->
          binding.registerReflectionHints(generation.getRuntimeHints().reflection(), payload);
    }
    if (!declaresHandlers(type)) {
      return null;
    }
    return (generation, code) -> register(generation.getRuntimeHints().reflection(), type);
  }

  private static boolean declaresHandlers(Class<?> type) {
    try {
      return JobHandlers.areDeclaredBy(type);
    } catch (LinkageError unresolvable) {
      return false; // The start does not search such a bean for handlers either.
    }
  }

  /**
   * Registers what the scan for handlers reads: the declared methods and the constants of each
   * class.
   */
  private void register(ReflectionHints hints, Class<?> type) {
    Set<Type> converted = new LinkedHashSet<>();
    for (Class<?> each = type; each != null && each != Object.class; each = each.getSuperclass()) {
      hints.registerType(each, MemberCategory.INVOKE_DECLARED_METHODS);
    }
    for (Class<?> each : JobHandlers.constantsReadBy(type)) {
      for (Field field : each.getDeclaredFields()) {
        if (Modifier.isStatic(field.getModifiers()) && field.getType() == JobType.class) {
          hints.registerField(field);
          converted.add(ResolvableType.forField(field).getGeneric(0).getType());
        }
      }
    }
    HandlerBeans.methods(type).forEach(handler -> converted.addAll(convertedBy(handler)));
    binding.registerReflectionHints(hints, converted.toArray(Type[]::new));
  }

  private static List<Type> convertedBy(Method handler) {
    List<Type> converted = new ArrayList<>();
    for (Class<?> parameter : handler.getParameterTypes()) {
      if (JobHandlers.isPayload(parameter)) {
        converted.add(parameter);
      }
    }
    Class<?> returned = handler.getReturnType();
    if (returned != void.class
        && returned != Void.class
        && !Outcome.class.isAssignableFrom(returned)
        && !CompletionStage.class.isAssignableFrom(returned)) {
      converted.add(handler.getGenericReturnType());
    }
    return converted;
  }
}
