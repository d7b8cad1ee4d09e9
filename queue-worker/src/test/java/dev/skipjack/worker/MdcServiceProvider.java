package dev.skipjack.worker;

import org.slf4j.helpers.BasicMDCAdapter;
import org.slf4j.simple.SimpleServiceProvider;
import org.slf4j.spi.MDCAdapter;

/** Provides the simple logger with a working MDC, as real backends have. */
public final class MdcServiceProvider extends SimpleServiceProvider {

  private final MDCAdapter mdc = new BasicMDCAdapter();

  @Override
  public MDCAdapter getMDCAdapter() {
    return mdc;
  }
}
