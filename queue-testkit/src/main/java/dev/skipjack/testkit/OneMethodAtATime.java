package dev.skipjack.testkit;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.parallel.ResourceLocksProvider;

/**
 * Prevents methods that share a database from running in parallel, because each would empty the
 * tables that the others use. Classes may run in parallel, because each has its own database.
 */
final class OneMethodAtATime implements ResourceLocksProvider {

  @Override
  public Set<Lock> provideForMethod(
      List<Class<?>> enclosingInstanceTypes, Class<?> testClass, Method testMethod) {
    Class<?> owner = enclosingInstanceTypes.isEmpty() ? testClass : enclosingInstanceTypes.get(0);
    return Set.of(new Lock(QueueDatabase.class.getName() + " of " + owner.getName()));
  }
}
