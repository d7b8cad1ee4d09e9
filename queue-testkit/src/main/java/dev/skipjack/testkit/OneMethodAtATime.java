package dev.skipjack.testkit;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.parallel.ResourceLocksProvider;

/**
 * Keeps the methods that share a database apart where JUnit runs methods in parallel: each would
 * empty the tables under the others. Classes have a database each and are not kept from each other.
 */
final class OneMethodAtATime implements ResourceLocksProvider {

  @Override
  public Set<Lock> provideForMethod(
      List<Class<?>> enclosingInstanceTypes, Class<?> testClass, Method testMethod) {
    Class<?> owner = enclosingInstanceTypes.isEmpty() ? testClass : enclosingInstanceTypes.get(0);
    return Set.of(new Lock(QueueDatabase.class.getName() + " of " + owner.getName()));
  }
}
