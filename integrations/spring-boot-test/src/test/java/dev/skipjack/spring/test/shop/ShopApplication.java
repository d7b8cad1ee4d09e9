package dev.skipjack.spring.test.shop;

import javax.sql.DataSource;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;

@SpringBootApplication
class ShopApplication {

  @Bean
  InitializingBean tables(DataSource dataSource) {
    return () ->
        new JdbcTemplate(dataSource)
            .execute(
                """
                CREATE TABLE IF NOT EXISTS users (name text PRIMARY KEY);
                CREATE TABLE IF NOT EXISTS charges (number text PRIMARY KEY)
                """);
  }
}
