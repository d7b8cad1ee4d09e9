package dev.skipjack.testkit;

import java.util.Optional;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/** The JUnit extension behind {@link QueueTest}. */
final class QueueTestExtension implements BeforeAllCallback, BeforeEachCallback, ParameterResolver {

  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(QueueTestExtension.class);

  /**
   * A database of a test class. JUnit closes it with the context of that class, even if the
   * constructor of the class failed. Nested classes find it through their parent contexts. The
   * record implements two interfaces: JUnit 5.12 closes a {@code CloseableResource}, and later
   * versions close an {@code AutoCloseable}.
   */
  @SuppressWarnings("deprecation")
  private record Owned(QueueDatabase database)
      implements AutoCloseable, ExtensionContext.Store.CloseableResource {

    @Override
    public void close() {
      database.close();
    }
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    obtain(context);
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    QueueDatabase database = obtain(context);
    if (truncates(context.getRequiredTestClass())) {
      database.truncate();
    }
  }

  /** Returns the setting of the class or, if it has none, of its enclosing class. */
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
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == QueueDatabase.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return obtain(context);
  }

  /**
   * Returns the database, and creates it on first use. The first use can be a parameter of the
   * constructor: if all test methods share one instance, JUnit calls the constructor before all
   * callbacks.
   */
  private static QueueDatabase obtain(ExtensionContext context) {
    ExtensionContext.Store store = context.getStore(NAMESPACE);
    Owned owned = store.get(Owned.class, Owned.class);
    if (owned == null) {
      owned = new Owned(QueueDatabase.create());
      store.put(Owned.class, owned);
    }
    return owned.database();
  }
}
