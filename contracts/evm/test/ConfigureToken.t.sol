// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {BatchGroup, TokenConfig} from "../src/PaymentTypes.sol";
import {Fixture} from "./Fixture.sol";

contract ConfigureTokenTest is Fixture {
    function test_aConfigurationCanBeReadBack() public {
        TokenConfig memory config = TokenConfig(true, 300_000, 11, 12);
        vm.expectEmit(address(processor));
        emit TokenConfigured(address(token), config);
        vm.prank(admin);
        processor.configureToken(address(token), config);
        assertEq(abi.encode(processor.tokenConfig(address(token))), abi.encode(config));
    }

    function test_switchedOffNoNewMoneyIsTaken() public {
        vm.prank(admin);
        processor.configureToken(address(token), TokenConfig(false, 200_000, CAP, CAP));
        vm.prank(operator);
        vm.expectRevert(abi.encodeWithSelector(TokenNotEnabled.selector, address(token)));
        processor.settleBatch(address(token), new BatchGroup[](0));
    }

    function test_anAddressWithoutCodeIsNoToken() public {
        vm.prank(admin);
        vm.expectRevert(abi.encodeWithSelector(TokenWithoutCode.selector, stranger));
        processor.configureToken(stranger, TokenConfig(true, 200_000, CAP, CAP));
    }

    function test_gasLimitsHaveLimits() public {
        vm.startPrank(admin);
        vm.expectRevert(abi.encodeWithSelector(CallGasOutOfRange.selector, 59_999, 60_000, 1_000_000));
        processor.configureToken(address(token), TokenConfig(true, 59_999, CAP, CAP));
        vm.expectRevert(abi.encodeWithSelector(CallGasOutOfRange.selector, 1_000_001, 60_000, 1_000_000));
        processor.configureToken(address(token), TokenConfig(true, 1_000_001, CAP, CAP));
        processor.configureToken(address(token), TokenConfig(true, 60_000, CAP, CAP));
        processor.configureToken(address(token), TokenConfig(true, 1_000_000, CAP, CAP));
        vm.stopPrank();
    }
}
