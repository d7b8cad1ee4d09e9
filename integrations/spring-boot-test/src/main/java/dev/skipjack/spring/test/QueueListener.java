package dev.skipjack.spring.test;

import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestContextAnnotationUtils;
import org.springframework.test.context.TestExecutionListener;

/**
 * Empties the queue before each test method and after each class. Stops the application's worker
 * after each class, and starts it again for the next one.
 */
final class QueueListener implements TestExecutionListener, Ordered {

  /** The order of a listener before the one that begins the test's transaction. */
  private static final int BEFORE_TRANSACTIONS = 3_900;

  @Override
  public int getOrder() {
    return BEFORE_TRANSACTIONS;
  }

  @Override
  public void beforeTestClass(TestContext test) {
    if (settings(test) != null && test.hasApplicationContext()) {
      queue(test).resume();
    }
  }

  @Override
  public void beforeTestMethod(TestContext test) {
    AutoConfigureSkipjack settings = settings(test);
    if (settings != null) {
      QueueOfContext queue = queue(test);
      if (settings.truncate()) {
        queue.empty();
      }
      queue.resume();
    }
  }

  @Override
  public void afterTestClass(TestContext test) {
    AutoConfigureSkipjack settings = settings(test);
    if (settings != null && test.hasApplicationContext()) {
      QueueOfContext queue = queue(test);
      queue.pause();
      if (settings.truncate()) {
        queue.empty();
      }
    }
  }

  private static @Nullable AutoConfigureSkipjack settings(TestContext test) {
    return TestContextAnnotationUtils.findMergedAnnotation(
        test.getTestClass(), AutoConfigureSkipjack.class);
  }

  private static QueueOfContext queue(TestContext test) {
    return test.getApplicationContext().getBean(QueueOfContext.class);
  }
}
