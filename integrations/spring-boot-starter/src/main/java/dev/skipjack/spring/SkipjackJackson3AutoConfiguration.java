package dev.skipjack.spring;

import dev.skipjack.api.PayloadCodec;
import dev.skipjack.jackson3.Jackson3Codec;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/**
 * Converts payloads with Jackson 3 if the application has a mapper of Jackson 3, which Spring Boot
 * 4 provides, or if Jackson 2 is missing.
 */
@AutoConfiguration(
    before = SkipjackAutoConfiguration.class,
    afterName = "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration")
@ConditionalOnClass(
    name = {"dev.skipjack.jackson3.Jackson3Codec", "tools.jackson.databind.json.JsonMapper"})
@Conditional(OnEnabled.Starter.class)
public class SkipjackJackson3AutoConfiguration {

  @Bean
  @Conditional(OnJackson3.class)
  @ConditionalOnMissingBean(PayloadCodec.class)
  Jackson3Codec skipjackPayloadCodec() {
    return new Jackson3Codec();
  }

  static final class OnJackson3 extends AnyNestedCondition {

    OnJackson3() {
      super(ConfigurationPhase.REGISTER_BEAN);
    }

    @ConditionalOnBean(type = "tools.jackson.databind.ObjectMapper")
    static final class MapperOfJackson3 {}

    @ConditionalOnMissingClass("com.fasterxml.jackson.databind.json.JsonMapper")
    static final class NoJackson2 {}
  }
}
