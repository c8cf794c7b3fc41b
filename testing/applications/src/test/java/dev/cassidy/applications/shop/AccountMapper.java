package dev.cassidy.applications.shop;

import java.util.List;
import java.util.Map;
import org.apache.ibatis.annotations.Param;

interface AccountMapper {
    int insertAccount(NewAccount account);

    int insertProfile(NewAccount account);

    Customer signIn(@Param("userName") String userName, @Param("password") String password);

    Map<String, Object> profilePage(int accountId);

    int countByUserName(String userName);

    /** A null leaves its column as it is. */
    int updateProfile(
            @Param("accountId") int accountId,
            @Param("fullName") String fullName,
            @Param("language") String language,
            @Param("newsletter") Boolean newsletter);

    int changePassword(
            @Param("userName") String userName, @Param("current") String current, @Param("next") String next);

    int closeAccount(int accountId);

    List<String> readers();
}
