package dev.skipjack.spring.test;

import org.springframework.core.Ordered;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestContextAnnotationUtils;
import org.springframework.test.context.TestExecutionListener;

/** Empties the queue before each test method and after each class. */
final class EmptyQueueListener implements TestExecutionListener, Ordered {

  /** Before the listener that begins the transaction of the test. */
  private static final int BEFORE_TRANSACTIONS = 3_900;

  @Override
  public int getOrder() {
    return BEFORE_TRANSACTIONS;
  }

  @Override
  public void beforeTestMethod(TestContext test) {
    empty(test);
  }

  @Override
  public void afterTestClass(TestContext test) {
    empty(test);
  }

  private static void empty(TestContext test) {
    AutoConfigureSkipjack found =
        TestContextAnnotationUtils.findMergedAnnotation(
            test.getTestClass(), AutoConfigureSkipjack.class);
    if (found != null && found.truncate() && test.hasApplicationContext()) {
      test.getApplicationContext().getBean(QueueCleaner.class).empty();
    }
  }
}
