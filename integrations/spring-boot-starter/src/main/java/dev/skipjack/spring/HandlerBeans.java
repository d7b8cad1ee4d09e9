package dev.skipjack.spring;

import dev.skipjack.api.JobType;
import dev.skipjack.handlers.HandlerTransactions;
import dev.skipjack.handlers.JobHandler;
import dev.skipjack.handlers.JobHandlers;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.EmbeddedValueResolver;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.util.ReflectionUtils;

/** Finds the beans with handler methods. */
final class HandlerBeans {

  private static final Logger LOG = LoggerFactory.getLogger(HandlerBeans.class);

  /** The propagations with which a method does not join the transaction of its caller. */
  private static final Set<Propagation> SEPARATE =
      EnumSet.of(Propagation.REQUIRES_NEW, Propagation.NOT_SUPPORTED, Propagation.NEVER);

  private final ConfigurableListableBeanFactory beans;
  private final EmbeddedValueResolver texts;

  HandlerBeans(ConfigurableListableBeanFactory beans) {
    this.beans = beans;
    this.texts = new EmbeddedValueResolver(beans);
  }

  /**
   * Returns the handlers and schedules of all beans. Each attempt gets the bean from the factory,
   * so that the scope of the bean applies.
   *
   * @throws IllegalArgumentException if a handler is declared incorrectly, or if its bean is a
   *     proxy that cannot call it
   */
  JobHandlers scan() {
    JobHandlers.Builder handlers = builder();
    classes()
        .forEach(
            (name, type) -> {
              if (beans.isSingleton(name)) {
                requireCallable(name, type, beans.getBean(name));
              }
              for (Method handler : methods(type)) {
                if (handler.getAnnotation(JobHandler.class).transactional()) {
                  requireJoining(name, type, handler);
                  handlers.transactions(transactions(name, type, handler));
                }
              }
              handlers.scan(type, () -> beans.getBean(name));
            });
    return handlers.build();
  }

  /**
   * Returns the types of the handlers of all beans, without creating a bean.
   *
   * @throws IllegalArgumentException if a handler is declared incorrectly
   */
  List<JobType<?>> types() {
    JobHandlers.Builder handlers =
        builder()
            .transactions(
                (handler, completion) -> {
                  throw new UnsupportedOperationException();
                });
    classes().forEach((name, type) -> handlers.scan(type, () -> beans.getBean(name)));
    return handlers.build().types();
  }

  private JobHandlers.Builder builder() {
    JobHandlers.Builder handlers = JobHandlers.builder().texts(this::resolve);
    beans.getBeanProvider(JobType.class).orderedStream().forEach(handlers::type);
    return handlers;
  }

  /** Returns the classes of the beans with handlers, by the name of the bean. */
  private Map<String, Class<?>> classes() {
    Map<String, Class<?>> classes = new LinkedHashMap<>();
    for (String name : beans.getBeanNamesForType(Object.class)) {
      Class<?> type = ScopedProxyUtils.isScopedTarget(name) ? null : handlerClass(name);
      if (type != null) {
        classes.put(name, type);
      }
    }
    return classes;
  }

  /** Replaces placeholders and evaluates expressions, as Spring does in {@code @Scheduled}. */
  private String resolve(String text) {
    String resolved = texts.resolveStringValue(text);
    return resolved == null ? "" : resolved;
  }

  /** Returns the class of a bean, without its proxies, or null if it has no handler method. */
  private @Nullable Class<?> handlerClass(String name) {
    Class<?> type = AutoProxyUtils.determineTargetClass(beans, name);
    if (type != null && ScopedObject.class.isAssignableFrom(type)) {
      // The class of a scoped proxy overrides the methods without their annotations.
      type = AutoProxyUtils.determineTargetClass(beans, ScopedProxyUtils.getTargetBeanName(name));
    }
    if (type == null || !AnnotationUtils.isCandidateClass(type, JobHandler.class)) {
      return null;
    }
    try {
      return JobHandlers.areDeclaredBy(type) ? type : null;
    } catch (LinkageError unresolvable) {
      // A class of some library may refer to optional classes that are absent.
      LOG.debug("Bean not searched for handlers bean={} class={}", name, type, unresolvable);
      return null;
    }
  }

  static Set<Method> methods(Class<?> type) {
    return MethodIntrospector.selectMethods(
        type, (ReflectionUtils.MethodFilter) each -> each.isAnnotationPresent(JobHandler.class));
  }

  /**
   * Rejects a handler that does not join the transaction, because its rows would be committed
   * without the completion of the job.
   */
  private static void requireJoining(String name, Class<?> type, Method handler) {
    Transactional own = AnnotatedElementUtils.findMergedAnnotation(handler, Transactional.class);
    if (own == null) {
      own = AnnotatedElementUtils.findMergedAnnotation(type, Transactional.class);
    }
    if (own != null && SEPARATE.contains(own.propagation())) {
      throw new IllegalArgumentException(
          "Handler %s.%s of bean '%s' is transactional, but its propagation %s prevents it from joining the transaction that completes the job. Remove the propagation from @Transactional."
              .formatted(type.getName(), handler.getName(), name, own.propagation()));
    }
  }

  private HandlerTransactions transactions(String name, Class<?> type, Method handler) {
    try {
      return beans.getBean(HandlerTransactions.class);
    } catch (BeansException failure) {
      throw new IllegalStateException(
          "Handler %s.%s of bean '%s' is transactional, but there are no transactions for it. %s"
              .formatted(
                  type.getName(),
                  handler.getName(),
                  name,
                  failure.getMostSpecificCause().getMessage()),
          failure);
    }
  }

  private static void requireCallable(String name, Class<?> type, Object bean) {
    if (!type.isInstance(bean)) {
      throw new IllegalArgumentException(
          "Bean '%s' of class %s has handlers, but is a JDK proxy, which has only the methods of its interfaces. Remove spring.aop.proxy-target-class=false, or move the handlers to another bean."
              .formatted(name, type.getName()));
    }
    if (AopUtils.isCglibProxy(bean)) {
      for (Method method : methods(type)) {
        if (Modifier.isFinal(method.getModifiers())) {
          throw new IllegalArgumentException(
              "Handler %s.%s of bean '%s' is final, so its proxy cannot pass calls on to the bean. Remove the modifier."
                  .formatted(type.getName(), method.getName(), name));
        }
      }
    }
  }
}
