package dev.skipjack.spring;

import dev.skipjack.api.JobType;
import dev.skipjack.handlers.JobHandler;
import dev.skipjack.handlers.JobHandlers;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotationUtils;

/** Finds the beans with handler methods. */
final class HandlerBeans {

  private static final Logger LOG = LoggerFactory.getLogger(HandlerBeans.class);

  private final ConfigurableListableBeanFactory beans;

  HandlerBeans(ConfigurableListableBeanFactory beans) {
    this.beans = beans;
  }

  /**
   * Returns the handlers of all beans. Each attempt gets the bean from the factory, so that the
   * scope of the bean applies.
   *
   * @param types the job types that the application declares as beans
   * @throws IllegalArgumentException if a handler is declared incorrectly, or if its bean is a
   *     proxy that cannot call it
   */
  JobHandlers scan(Iterable<JobType<?>> types) {
    JobHandlers.Builder handlers = JobHandlers.builder();
    types.forEach(handlers::type);
    for (String name : beans.getBeanNamesForType(Object.class)) {
      Class<?> type = ScopedProxyUtils.isScopedTarget(name) ? null : handlerClass(name);
      if (type != null) {
        if (beans.isSingleton(name)) {
          requireCallable(name, type, beans.getBean(name));
        }
        handlers.scan(type, () -> beans.getBean(name));
      }
    }
    return handlers.build();
  }

  /** Returns the class of a bean, without its proxies, or null if it has no handler method. */
  private @Nullable Class<?> handlerClass(String name) {
    Class<?> type = AutoProxyUtils.determineTargetClass(beans, name);
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

  private static void requireCallable(String name, Class<?> type, Object bean) {
    if (!type.isInstance(bean)) {
      throw new IllegalArgumentException(
          "Bean '%s' of class %s has handlers, but is a JDK proxy, which has only the methods of its interfaces. Remove spring.aop.proxy-target-class=false, or move the handlers to another bean."
              .formatted(name, type.getName()));
    }
    if (AopUtils.isCglibProxy(bean)) {
      for (Method method :
          MethodIntrospector.selectMethods(
                  type,
                  (MethodIntrospector.MetadataLookup<JobHandler>)
                      each -> each.getAnnotation(JobHandler.class))
              .keySet()) {
        if (Modifier.isFinal(method.getModifiers())) {
          throw new IllegalArgumentException(
              "Handler %s.%s of bean '%s' is final, so its proxy cannot pass calls on to the bean. Remove the modifier."
                  .formatted(type.getName(), method.getName(), name));
        }
      }
    }
  }
}
