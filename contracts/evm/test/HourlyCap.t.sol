// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Authorization, BatchGroup, Permit, TokenConfig} from "../src/PaymentTypes.sol";
import {Fixture} from "./Fixture.sol";

contract HourlyCapTest is Fixture {
    uint104 private constant LIMIT = 1_000;

    function setUp() public override {
        super.setUp();
        vm.warp(500_000 * 1 hours);
        _enable(address(token), LIMIT, LIMIT);
    }

    function _try(address by, uint64 code, uint256 amount) internal returns (bool) {
        Authorization memory a = _authorization(payer, amount);
        bytes memory signature = _signature(PAYER_KEY, a);
        vm.prank(by);
        try processor.payWithSignature(address(token), code, PLAIN, a, signature) {
            return true;
        } catch (bytes memory problem) {
            assertEq(bytes4(problem), HourlyCapExceeded.selector);
            return false;
        }
    }

    function test_theCapIsReachedAndNotPassed() public {
        assertTrue(_try(operator, 1, 600));
        assertFalse(_try(operator, 2, 401));
        assertTrue(_try(operator, 3, 400));
        assertFalse(_try(operator, 4, 1));
        assertEq(processor.spentRecently(operator, address(token)), LIMIT);
    }

    function test_theErrorCarriesBothSides() public {
        Authorization memory a = _authorization(payer, 1_001);
        bytes memory signature = _signature(PAYER_KEY, a);
        vm.prank(operator);
        vm.expectRevert(abi.encodeWithSelector(HourlyCapExceeded.selector, operator, address(token), 1_001, LIMIT));
        processor.payWithSignature(address(token), 1, PLAIN, a, signature);
    }

    function test_theTurnOfTheHourDoublesNothing() public {
        vm.warp(block.timestamp + 3_599);
        assertTrue(_try(operator, 1, LIMIT));
        vm.warp(block.timestamp + 1);
        assertFalse(_try(operator, 2, 1));
        vm.warp(block.timestamp + 3_599);
        assertFalse(_try(operator, 3, 1));
        vm.warp(block.timestamp + 1);
        assertTrue(_try(operator, 4, LIMIT));
    }

    function test_aLongPauseClearsTheCount() public {
        assertTrue(_try(operator, 1, LIMIT));
        vm.warp(block.timestamp + 5 hours);
        assertEq(processor.spentRecently(operator, address(token)), 0);
        assertTrue(_try(operator, 2, LIMIT));
    }

    function test_operatorsAreCountedApart() public {
        bytes32 role = processor.OPERATOR_ROLE();
        vm.prank(admin);
        processor.grantRole(role, stranger);
        assertTrue(_try(operator, 1, LIMIT));
        assertTrue(_try(stranger, 2, LIMIT));
        assertFalse(_try(stranger, 3, 1));
    }

    function test_aBatchPastTheCapIsUndoneAsAWhole() public {
        BatchGroup[] memory groups = _one(_group(PLAIN, 3, 100, 400, 400));
        vm.prank(operator);
        try processor.settleBatch(address(token), groups) {
            fail();
        } catch (bytes memory problem) {
            assertEq(bytes4(problem), HourlyCapExceeded.selector);
        }
        assertFalse(processor.isSettled(100));
        assertEq(token.balanceOf(vm.addr(_key(100))), 4_000);
    }

    function test_recoveryHasItsOwnCapAndCountsWhatLeavesTheSurplus() public {
        vm.prank(admin);
        processor.configureToken(address(token), TokenConfig(true, 200_000, LIMIT, 300));
        token.mint(address(processor), 10_000);
        vm.startPrank(recovery);
        processor.returnSurplus(address(token), payer, 300, "a");
        vm.expectRevert(abi.encodeWithSelector(HourlyCapExceeded.selector, recovery, address(token), 301, 300));
        processor.returnSurplus(address(token), payer, 1, "b");
        vm.stopPrank();
    }

    function test_aStrandedPaymentCountsWhole() public {
        Authorization memory a = _authorization(payer, 900);
        bytes memory signature = _signature(PAYER_KEY, a);
        _submitDirectly(a, signature, address(processor));
        vm.prank(recovery);
        processor.settleStranded(address(token), 1, PLAIN, a, 10, signature);
        assertEq(processor.spentRecently(recovery, address(token)), 900);
    }

    function test_permitsCountAndThePayersOwnPaymentsDoNot() public {
        Permit memory permit = _permit(PAYER_KEY, 1_000, block.timestamp);
        vm.prank(operator);
        processor.payWithPermit(address(token), 1, PLAIN, permit, 700);
        assertEq(processor.spentRecently(operator, address(token)), 700);
        vm.startPrank(payer);
        token.approve(address(processor), 5_000);
        processor.pay(address(token), 2, PLAIN, 5_000);
        assertEq(processor.spentRecently(payer, address(token)), 0);
        vm.stopPrank();
    }

    /// @dev Eight tries at random times: whatever sixty minutes one looks at, they hold no more than the cap.
    function testFuzz_noSixtyMinutesSeeMoreThanTheCap(uint16[8] memory waits, uint16[8] memory amounts) public {
        uint256[8] memory times;
        uint256[8] memory moved;
        for (uint256 i; i < 8; ++i) {
            vm.warp(block.timestamp + bound(waits[i], 0, 2_400));
            uint256 amount = bound(amounts[i], 1, LIMIT);
            times[i] = block.timestamp;
            moved[i] = _try(operator, uint64(i), amount) ? amount : 0;
            uint256 inAnHour;
            for (uint256 j; j <= i; ++j) {
                if (times[j] + 1 hours > block.timestamp) inAnHour += moved[j];
            }
            assertLe(inAnHour, LIMIT);
        }
    }
}
