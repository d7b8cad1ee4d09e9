package dev.skipjack.testkit;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/** What {@link QueueTest} does. */
final class QueueTestExtension
    implements BeforeAllCallback, BeforeEachCallback, AfterAllCallback, ParameterResolver {

  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(QueueTestExtension.class);

  /**
   * A database and the class that it was made for; nested classes find it through their parents.
   */
  private record Owned(QueueDatabase database, String owner) {}

  @Override
  public void beforeAll(ExtensionContext context) {
    obtain(context);
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    QueueDatabase database = obtain(context).database();
    if (truncates(context.getRequiredTestClass())) {
      database.truncate();
    }
  }

  /** What the class says, or else the one that it is nested in. */
  private static boolean truncates(Class<?> testClass) {
    for (Class<?> type = testClass; type != null; type = type.getEnclosingClass()) {
      Optional<QueueTest> found = AnnotationSupport.findAnnotation(type, QueueTest.class);
      if (found.isPresent()) {
        return found.get().truncate();
      }
    }
    return true;
  }

  @Override
  public void afterAll(ExtensionContext context) {
    Owned owned = find(context);
    if (owned != null && owned.owner().equals(context.getUniqueId())) {
      owned.database().close();
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == QueueDatabase.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return obtain(context).database();
  }

  /**
   * Made at the first need: with one instance for the whole class, that is its constructor, before
   * anything else.
   */
  private static Owned obtain(ExtensionContext context) {
    Owned owned = find(context);
    if (owned == null) {
      owned = new Owned(QueueDatabase.create(), context.getUniqueId());
      context.getStore(NAMESPACE).put(Owned.class, owned);
    }
    return owned;
  }

  private static @Nullable Owned find(ExtensionContext context) {
    return context.getStore(NAMESPACE).get(Owned.class, Owned.class);
  }
}
