package dev.cassidy.applications.shop;

import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;
import org.apache.ibatis.annotations.Param;

interface OrderMapper {
    int insert(Order order);

    int insertLine(OrderLine line);

    int take(@Param("code") String code, @Param("quantity") int quantity);

    Order order(int orderId);

    List<OrderSummary> history(@Param("accountId") int accountId, @Param("offset") int offset, @Param("size") int size);

    List<OrderSummary> historyByRowNumber(
            @Param("accountId") int accountId, @Param("first") int first, @Param("last") int last);

    Integer last(int accountId);

    int countOf(int accountId);

    List<Integer> placedBetween(@Param("from") LocalDateTime from, @Param("to") LocalDateTime to);

    List<Integer> placedSince(@Param("now") LocalDateTime now, @Param("days") int days);

    List<Map<String, Object>> open(@Param("states") List<String> states);

    List<Sale> salesByCategory();

    List<Sale> bestSellers(int n);

    List<Map<String, Object>> spending();

    List<Map<String, Object>> byMonth();

    List<String> buyersOf(String code);

    List<String> journal();

    List<Map<String, Object>> bigSpenders(LocalDateTime now);

    List<Map<String, Object>> byDay();

    List<Map<String, Object>> linesWithRunningTotal(int accountId);

    List<String> states();

    int changeStatus(@Param("orderId") int orderId, @Param("from") String from, @Param("to") String to);

    int cancelAllOf(int accountId);

    int deleteLines(int orderId);

    int copyLines(@Param("from") int from, @Param("to") int to);

    int addUp();

    int deleteOrdersWithoutLines();
}
